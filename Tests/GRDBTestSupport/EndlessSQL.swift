/// A query that never ends unless it is interrupted.
public let endlessSQL = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
    SELECT COUNT(*) FROM n
    """

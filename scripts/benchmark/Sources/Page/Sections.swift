/// What the page shows, in which order. Workloads that no section names come last, so that a new one
/// is never forgotten.
struct Section {
    let title: String
    /// What a reader must know of it.
    let note: String
    let names: [String]

    static let all = [
        Section(
            title: "Rows and values", note: "Results of SQL, row by row and all at once.",
            names: [
                "scan 200k x 10 integers, by position", "scan 200k x 10 integers, by name",
                "50k rows of 14 mixed columns, by name",
                "50k rows of 14 mixed columns, fetchAll, by name",
                "100k rows of 10 integers, Row.fetchAll",
                "50k rows of 14 mixed columns, Row.fetchAll", "200k integers, Int.fetchAll",
            ]),
        Section(
            title: "Records",
            note: "The twin makes the same structs. It parses dates by arithmetic, and groups "
                + "books in a dictionary. The orders have the columns of a benchmark whose results "
                + "other packages publish.",
            names: [
                "fetchAll 50k x 14 columns, init(row:)",
                "50k rows of 14 columns with dates, init(row:)",
                "50k rows of 14 columns, dates as text, init(row:)",
                "50k Codable records of 14 columns, fetchCursor",
                "50k Codable records of 14 columns, fetchAll",
                "50k rows of 14 columns with dates, Codable",
                "50k rows of 14 columns, dates as text, Codable",
                "50k orders of 14 columns, init(row:)", "50k orders of 14 columns, Codable",
                "50k orders of 14 columns, with dates, init(row:)",
                "50k orders of 14 columns, with dates, Codable",
                "20k books including their author, Codable",
                "1k authors including all 20k books, Codable",
            ]),
        Section(
            title: "Requests",
            note: "Each one is built, and then fetched. The twin prepares one statement for all of "
                + "them, except for the first row, where it concatenates and prepares each text.",
            names: [
                "100k requests to ready statements", "20k single values, by key and selection",
                "20k single values, by SQL and arguments", "20k fetchCount of a filter",
                "20k times ten records: filter, order, limit",
                "20k times one book with its author, by key, Codable",
                "1k times the 20 books of an author, Codable", "50k exists(key:)",
                "50k record.exists",
            ]),
        Section(
            title: "Single rows, and accesses",
            note: "The twin runs the same BEGIN and COMMIT for each access. Where accesses are "
                + "awaited, it stays on its own thread, unless it hops to a thread per connection and "
                + "back, with two semaphores; what this package adds depends on whether the "
                + "system wakes an idle processor for each thread.",
            names: [
                "100k point reads, reused statement", "100k point reads, by SQL text",
                "20k records by key in one unsafeRead",
                "50k fetchOne(key:) of 14 columns in one read",
                "50k Codable fetchOne(key:) of 14 columns in one read",
                "one record by key in each queue.read", "one record by key in each pool.read",
                "an empty read, to one BEGIN and COMMIT",
                "an empty pool.read, to BEGIN, a first read and COMMIT",
                "await queue.read of one row", "await queue.read of one row, to a hop in C",
                "await pool.read of one row", "await pool.read of one row, to a hop in C",
                "await pool.read of one row, global target queue",
                "64 tasks that await pool.read", "64 tasks that await pool.write",
                "64 tasks that await pool.batchedWrite", "1k times open, query, close: queue",
                "1k times open, query, close: pool",
            ]),
        Section(
            title: "Writes",
            note: "Into a database in memory, in one transaction unless it says so.",
            names: [
                "50k inserts, reused statement, value pack",
                "50k inserts, reused statement, arguments",
                "50k inserts of 10 integers, arguments",
                "50k inserts, execute(sql:arguments:)", "50k record.insert, 4 columns",
                "50k Codable record.insert, 4 columns",
                "50k Codable records of 14 columns, insert", "50k insertMany, one array",
                "50k Codable insertMany, one array", "50k record.update, 4 columns",
                "50k Codable record.update, 4 columns", "50k record.update, one of 4 columns",
                "50k record.upsert of rows that exist", "50k record.delete",
                "50k Codable record.delete, 4 columns",
                "50k deleteOne(key:)", "50k updateAll of a request by key",
                "10k pool.write with one update each",
                "10k queue.write with one update each, in memory",
                "50k inserts, interested observer / C update hook",
                "insert of 50k rows, interested observer / C hook",
                "50k inserts in a savepoint, observer / C hook",
            ]),
        Section(
            title: "What observers cost",
            note: "Here the twin is the same library without the observer, not C.",
            names: [
                "50k inserts, observer of another table / none",
                "50k inserts, weak observer of another / none",
                "10k write transactions, observer of another / none",
                "queue, 1 row of 1000 observed / none, process",
                "queue, 1 row of 1000 observed / none, writer",
                "queue, the written row observed / none, process",
                "queue, the written row observed / none, writer", "queue, 1000 observations / one",
                "pool, 1 row of 1000 observed / none, process",
                "pool, 1 row of 1000 observed / none, writer",
                "pool, the written row observed / none, process",
                "pool, the written row observed / none, writer", "pool, 1000 observations / one",
            ]),
    ]

    /// The rows of the chart, with the words that they have there.
    static let highlights: [(name: String, label: String)] = [
        ("scan 200k x 10 integers, by name", "Cursor of rows, values by name"),
        ("50k rows of 14 mixed columns, Row.fetchAll", "Row.fetchAll, 14 columns"),
        ("fetchAll 50k x 14 columns, init(row:)", "Records by init(row:)"),
        ("50k Codable records of 14 columns, fetchAll", "Codable records"),
        ("50k rows of 14 columns with dates, Codable", "Codable records with dates"),
        ("1k authors including all 20k books, Codable", "1,000 authors including 20,000 books"),
        ("100k point reads, reused statement", "A value by key, statement reused"),
        ("one record by key in each queue.read", "A record by key, each in queue.read"),
        ("one record by key in each pool.read", "A record by key, each in pool.read"),
        ("await pool.read of one row", "await pool.read of a value"),
        ("100k requests to ready statements", "A request, built and compiled"),
        ("20k times one book with its author, by key, Codable", "A record and its parent, by key"),
        ("50k inserts, reused statement, arguments", "Inserts, statement reused"),
        ("50k inserts, execute(sql:arguments:)", "Inserts by execute(sql:arguments:)"),
        ("50k record.insert, 4 columns", "record.insert"),
        ("50k Codable records of 14 columns, insert", "Codable record.insert, 14 columns"),
        ("50k inserts, interested observer / C update hook", "Inserts that an observer is told of"),
    ]

    /// Those of them that are rows of the README, too.
    static let mainLabels: Set = [
        "Codable records", "1,000 authors including 20,000 books", "record.insert",
        "A request, built and compiled", "await pool.read of a value",
    ]
}

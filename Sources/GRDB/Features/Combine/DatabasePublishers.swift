#if canImport(Combine)

/// A namespace for Combine publishers of the database.
public enum DatabasePublishers {}

#endif

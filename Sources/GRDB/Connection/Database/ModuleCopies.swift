/// Detects other copies of this module in the process: an app and a framework may each be linked with
/// one.
///
/// Each copy has its own SQLite, and two of them must never open the same file: when one closes it, the
/// system releases the locks of the other. Casts between the types of the copies fail as well.
enum ModuleCopies {
    /// The error of a connection in a process with another copy of the module; nil in other processes.
    ///
    /// The Swift runtime knows the types of all images by their names, and finds the same type for all
    /// copies. At least one of two copies finds a type that is not its own.
    static let error: DatabaseError? = {
        guard let type = _typeByName("4GRDB8DatabaseC"), type != Database.self else { return nil }
        return DatabaseError(
            misuse: """
                This process contains two copies of the module GRDB. Two copies that open one file can \
                damage it. Link all targets with the product GRDB-dynamic, or only one of them with the \
                product GRDB.
                """)
    }()
}

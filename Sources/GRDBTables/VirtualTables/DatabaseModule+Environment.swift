import GRDB
import _GRDBSystem

extension DatabaseModule {
    /// The environment of the process as a table of the columns `name` and `value`.
    ///
    /// ```swift
    /// db.add(module: .environment())
    ///
    /// // SELECT value FROM environment WHERE name = 'HOME'
    /// let home = try String.fetchOne(db, sql: "SELECT value FROM environment WHERE name = 'HOME'")
    /// ```
    ///
    /// Each statement reads the environment when it starts.
    ///
    /// - parameter name: the name of the table.
    public static func environment(named name: String = "environment") -> DatabaseModule {
        table(
            name,
            rows: { _ in
                ProcessInfo.processInfo.environment.map(EnvironmentVariable.init).sorted {
                    $0.name < $1.name
                }
            }
        ) { t in
            t.column("name", \.name, .text).primaryKey()
            t.column("value", \.value, .text)
        }
    }
}

private struct EnvironmentVariable: Sendable {
    let name: String
    let value: String
}

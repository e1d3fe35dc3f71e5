import GRDB

/// The purpose of a labeled access, and its location in the source code.
///
/// See `DatabaseReader.read(label:file:line:_:)`.
public struct AccessLabel: Hashable, Sendable, CustomStringConvertible {
    /// The name of the access.
    public let name: String

    /// The file that contains the access, in the format of `#fileID`.
    public let file: String

    /// The line in the file.
    public let line: UInt

    /// Creates a label.
    public init(_ name: String, file: String = #fileID, line: UInt = #line) {
        self.name = name
        self.file = file
        self.line = line
    }

    /// `list players (App/Server.swift:12)`
    public var description: String { "\(name) (\(file):\(line))" }
}

extension Database {
    private enum LabelKey: DatabaseStorageKey {
        static var defaultValue: AccessLabel? { nil }
    }

    /// The label of the access, if it has one.
    private(set) var accessLabel: AccessLabel? {
        get { self[LabelKey.self] }
        set { self[LabelKey.self] = newValue }
    }

    /// Runs the closure with a label for the access.
    func withAccessLabel<T>(_ label: AccessLabel, _ body: () throws -> T) throws -> T {
        let outerLabel = accessLabel
        accessLabel = label
        configuration.metricsCollector?.setLabel(label, of: raw)
        defer {
            accessLabel = outerLabel
            configuration.metricsCollector?.setLabel(outerLabel, of: raw)
        }
        do {
            return try body()
        } catch let error as DatabaseError {
            throw error.inAccess("\(label)")
        }
    }
}

/// Callbacks of a record type.
struct PersistenceCallbacks: OptionSet {
    let rawValue: UInt8

    static let aroundSave = PersistenceCallbacks(rawValue: 1 << 0)
    static let aroundInsert = PersistenceCallbacks(rawValue: 1 << 1)
    static let didInsert = PersistenceCallbacks(rawValue: 1 << 2)
    static let didSave = PersistenceCallbacks(rawValue: 1 << 3)
    static let aroundUpdate = PersistenceCallbacks(rawValue: 1 << 4)
    static let didUpdate = PersistenceCallbacks(rawValue: 1 << 5)
    static let aroundDelete = PersistenceCallbacks(rawValue: 1 << 6)

    /// The callbacks around the statement of an operation.
    static func around(_ verb: PersistenceOperation.Verb) -> PersistenceCallbacks {
        switch verb {
        case .insert, .upsert: [.aroundSave, .aroundInsert]
        case .update: [.aroundSave, .aroundUpdate]
        case .delete: .aroundDelete
        case .exists: []
        }
    }

    /// The callbacks that receive the stored values of an operation.
    static func receiving(_ verb: PersistenceOperation.Verb) -> PersistenceCallbacks {
        switch verb {
        case .insert, .upsert: [.didInsert, .didSave]
        case .update: [.didUpdate, .didSave]
        case .delete, .exists: []
        }
    }
}

/// The callbacks of a record type that are known to be the default ones, because they reported it
/// when they were called.
///
/// Not a part of the plans: containers refer to this object, and a container that a callback keeps
/// must not retain statements.
final class DefaultCallbacks {
    private let recordType: ObjectIdentifier

    @exclusivity(unchecked)
    private(set) var known: PersistenceCallbacks = []

    init(of recordType: Any.Type) {
        self.recordType = ObjectIdentifier(recordType)
    }

    /// Called by the default callbacks of all types. A callback of this record may call callbacks
    /// of another record.
    func note(_ callback: PersistenceCallbacks, of recordType: Any.Type) {
        if ObjectIdentifier(recordType) == self.recordType {
            known.insert(callback)
        }
    }
}

extension Database {
    /// Called by the default callbacks of all types.
    func note(_ callback: PersistenceCallbacks, of recordType: Any.Type) {
        if let value = schemaCache.derivedValue(for: ObjectIdentifier(recordType)) {
            unsafeDowncast(value, to: RecordPlans.self)
                .defaultCallbacks.note(callback, of: recordType)
        }
    }
}

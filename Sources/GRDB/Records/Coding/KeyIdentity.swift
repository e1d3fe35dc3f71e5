/// Tells the coding keys of a decoder or encoder from one another, without asking for their names.
///
/// The cases of an enum are small integers: what the enum is called together with its bits is the
/// key. Other types of keys, and enums of more than 256 cases, have no identity.
struct KeyIdentity: Equatable {
    private let bits: UInt32

    /// The identity of keys that have none. It equals none that is known.
    static let none = KeyIdentity(bits: .max)

    /// An identity that no key has.
    static let unknown = KeyIdentity(bits: .max - 1)

    var isKnown: Bool { bits < .max - 1 }

    @inline(__always)
    static func == (lhs: KeyIdentity, rhs: KeyIdentity) -> Bool {
        lhs.bits == rhs.bits
    }

    /// Whether the cases of an enum have distinct bits, which is determined once. If not, no key
    /// has an identity.
    static let isReliable: Bool = {
        #if GRDB_NO_FAST_PATHS
        return false
        #else
        enum Probe: CodingKey, CaseIterable {
            case first, second, third
        }
        func bits(_ key: Probe) -> UInt8 {
            withUnsafeBytes(of: key) { $0[0] }
        }
        guard MemoryLayout<Probe>.size == 1, _isPOD(Probe.self) else { return false }
        return Set(Probe.allCases.map(bits)).count == Probe.allCases.count
            && Probe.allCases.allSatisfy { key in
                Probe(stringValue: key.stringValue).map(bits) == bits(key)
            }
        #endif
    }()

    /// The identities of the keys of one type.
    struct Space {
        private let prefix: UInt32

        /// The identities of keys that have none.
        static let none = Space(prefix: .max)

        private init(prefix: UInt32) {
            self.prefix = prefix
        }

        /// - parameter number: a number that only this type has.
        init<Key: CodingKey>(_ type: Key.Type, number: Int) {
            // Trivial types have no references: the same bits are the same key.
            let isSmall = MemoryLayout<Key>.size == 1 && _isPOD(Key.self) && number < 0xFFFF
            prefix =
                isSmall && KeyIdentity.isReliable ? UInt32(truncatingIfNeeded: number) << 8 : .max
        }

        @inline(__always)
        func identity(of key: some CodingKey) -> KeyIdentity {
            if prefix == .max { return .none }
            // The prefix says that the key has the size of a byte. A pointer to it takes longer: code
            // for keys of any type calls a function with a closure.
            return KeyIdentity(bits: prefix | UInt32(unsafeBitCast(key, to: UInt8.self)))
        }
    }
}

/// A container that is kept for the next instance.
class ContainerBox {
    /// Whether this is the only reference to the container.
    var isUnique: Bool { fatalError("abstract") }
}

final class ValueBox<Value>: ContainerBox {
    @exclusivity(unchecked)
    private var storedValue: Value

    init(_ value: Value) {
        storedValue = value
    }

    /// The value.
    ///
    /// Not specialized, so that it takes the metadata of its type from the object, where generic
    /// code would look them up in the runtime.
    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    func value() -> Value { storedValue }

    /// The keyed containers of the standard library are structures that hold one object.
    override var isUnique: Bool {
        guard MemoryLayout<Value>.size == MemoryLayout<AnyObject>.size else { return false }
        return withUnsafeMutablePointer(to: &storedValue) {
            $0.withMemoryRebound(to: AnyObject.self, capacity: 1) {
                isKnownUniquelyReferenced(&$0.pointee)
            }
        }
    }
}

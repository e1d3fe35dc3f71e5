/// Identifies a coding key of a decoder or encoder without reading its name.
///
/// Enum cases are small integers: a number for the enum type, combined with the bits of the case,
/// identifies the key. Other key types, and enums with more than 256 cases, have no identity.
struct KeyIdentity: Equatable {
    private let bits: UInt32

    /// The value for keys without identity. It differs from all known identities.
    static let none = KeyIdentity(bits: .max)

    /// An identity that no key has.
    static let unknown = KeyIdentity(bits: .max - 1)

    var isKnown: Bool { bits < .max - 1 }

    /// Whether the cases of an enum have distinct bits, which is determined once. If not, no key
    /// has an identity.
    static let isReliable: Bool = {
        enum Probe: CodingKey, CaseIterable {
            case first, second, third
        }
        func bits(_ key: Probe) -> UInt8 {
            withUnsafeBytes(of: key) { $0[0] }
        }
        guard FastPaths.areEnabled, MemoryLayout<Probe>.size == 1, _isPOD(Probe.self) else {
            return false
        }
        return Set(Probe.allCases.map(bits)).count == Probe.allCases.count
            && Probe.allCases.allSatisfy { key in
                Probe(stringValue: key.stringValue).map(bits) == bits(key)
            }
    }()

    /// The identities of the keys of one type.
    struct Space {
        private let prefix: UInt32

        /// The space of key types without identities.
        static let none = Space(prefix: .max)

        private init(prefix: UInt32) {
            self.prefix = prefix
        }

        /// - parameter number: a number unique to this type.
        init<Key: CodingKey>(_ type: Key.Type, number: Int) {
            // Trivial types hold no references, so that equal bits mean equal keys.
            let isSmall = MemoryLayout<Key>.size == 1 && _isPOD(Key.self) && number < 0xFFFF
            prefix =
                isSmall && KeyIdentity.isReliable ? UInt32(truncatingIfNeeded: number) << 8 : .max
        }

        @inline(__always)
        func identity(of key: some CodingKey) -> KeyIdentity {
            if prefix == .max { return .none }
            // A valid prefix implies that the key has the size of a byte. `withUnsafeBytes` is
            // slower, because unspecialized code calls it with a closure.
            return KeyIdentity(bits: prefix | UInt32(unsafeBitCast(key, to: UInt8.self)))
        }
    }
}

/// A container kept for reuse.
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
    /// Not specialized, so that it takes the metadata of its type from the object instead of
    /// looking it up in the runtime.
    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    func value() -> Value { storedValue }

    /// The keyed containers of the standard library are structures with a single object reference.
    override var isUnique: Bool {
        guard MemoryLayout<Value>.size == MemoryLayout<AnyObject>.size else { return false }
        return withUnsafeMutablePointer(to: &storedValue) {
            $0.withMemoryRebound(to: AnyObject.self, capacity: 1) { Self.isUnique($0) }
        }
    }

    /// Generic, because Swift 6 opens an `AnyObject` that is passed to
    /// `isKnownUniquelyReferenced`: debug builds pass a retained copy, which is never the only
    /// reference.
    private static func isUnique<Object: AnyObject>(
        _ object: UnsafeMutablePointer<Object>
    ) -> Bool {
        isKnownUniquelyReferenced(&object.pointee)
    }
}

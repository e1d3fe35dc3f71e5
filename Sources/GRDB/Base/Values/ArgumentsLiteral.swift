import _GRDBSystem

/// Statement arguments written as an array literal: `[1, "Arthur"]`.
///
/// Frequently called methods that take ``StatementArguments`` have an overload for literals. It
/// binds the values directly, without conversion to ``StatementArguments``.
public struct _ArgumentsLiteral: ExpressibleByArrayLiteral {
    let elements: [(any DatabaseValueConvertible)?]

    /// Creates arguments from an array literal.
    public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {
        self.elements = elements
    }
}

/// An element of a literal, used in place.
///
/// Swift copies an element of an array before each use, and destroys the copy. These runtime calls
/// take longer than SQLite needs to bind the value. Elements are therefore not copied here, and
/// common types are recognized by their metadata pointer. This relies on the memory layout of the
/// elements, which is checked once. If the layout is different, elements are copied.
struct LiteralElement {
    typealias Value = (any DatabaseValueConvertible)?

    private let pointer: UnsafeRawPointer

    /// - parameter pointer: a pointer that stays valid while the element is used.
    @inline(__always)
    init(_ pointer: UnsafePointer<Value>) {
        self.pointer = UnsafeRawPointer(pointer)
    }

    /// Three words precede the type: the value, or a reference to it.
    private static let typeOffset = 3 * MemoryLayout<Int>.stride

    @inline(__always)
    private static func word(of type: Any.Type) -> Int {
        unsafeBitCast(type, to: Int.self)
    }

    /// Zero if there is no value.
    @inline(__always)
    private var typeWord: Int {
        pointer.load(fromByteOffset: Self.typeOffset, as: Int.self)
    }

    @inline(__always)
    private func withMemory<Kind, Result>(
        of _: Kind.Type, _ body: (borrowing Kind) -> Result
    ) -> Result {
        body(pointer.assumingMemoryBound(to: Kind.self).pointee)
    }

    /// The element, if there is a value.
    @inline(__always)
    private var existential: UnsafePointer<any DatabaseValueConvertible> {
        pointer.assumingMemoryBound(to: (any DatabaseValueConvertible).self)
    }

    /// Whether array elements have the expected memory layout.
    static let hasKnownLayout: Bool = {
        guard FastPaths.areEnabled,
            MemoryLayout<Value>.size == 5 * MemoryLayout<Int>.size,
            MemoryLayout<Value>.stride == MemoryLayout<any DatabaseValueConvertible>.stride,
            MemoryLayout<Any.Type>.size == MemoryLayout<Int>.size,
            MemoryLayout<String>.size <= typeOffset
        else { return false }
        // A date has a type that is not recognized by its metadata pointer.
        let text = "a text that is too long for a small string"
        let date = Date(timeIntervalSinceReferenceDate: 1.5)
        let values: [Value] = [Int(-7), nil, text, Double(2.5), Int64(8), date]
        return values.withUnsafeBufferPointer { buffer in
            let elements = (0..<buffer.count).map { LiteralElement(buffer.baseAddress! + $0) }
            let types: [Any.Type?] = [
                Int.self, nil, String.self, Double.self, Int64.self, Date.self,
            ]
            return zip(elements, types).allSatisfy { $0.typeWord == $1.map(word(of:)) ?? 0 }
                && elements[0].withMemory(of: Int.self) { $0 } == -7
                && elements[2].withMemory(of: String.self) { copy $0 } == text
                && elements[3].withMemory(of: Double.self) { $0 } == 2.5
                && elements[4].withMemory(of: Int64.self) { $0 } == 8
                && elements[5].existential.pointee.databaseValue == date.databaseValue
        }
    }()

    /// Whether the element is NULL, or of one of the types that are found by their metadata.
    ///
    /// - precondition: elements have the expected layout.
    @inline(__always)
    var isRecognized: Bool {
        let type = typeWord
        return type == 0 || type == Self.word(of: Int.self) || type == Self.word(of: String.self)
            || type == Self.word(of: Double.self)
    }

    /// - precondition: elements have the expected layout.
    @inline(__always)
    func bindInPlace(to statement: SQLiteStatement, at index: CInt) -> CInt {
        let type = typeWord
        if type == 0 {
            return RawBinding.null(statement, index)
        } else if type == Self.word(of: Int.self) {
            return withMemory(of: Int.self) { $0.bind(to: statement, at: index) }
        } else if type == Self.word(of: String.self) {
            return withMemory(of: String.self) { $0.bind(to: statement, at: index) }
        } else if type == Self.word(of: Double.self) {
            return withMemory(of: Double.self) { $0.bind(to: statement, at: index) }
        } else {
            return existential.pointee.bind(to: statement, at: index)
        }
    }
}

/// The elements of a literal that are NULL, or of the types that are recognized by their metadata.
///
/// `@unchecked Sendable`: these types are values, which don't change and don't depend on the thread.
struct LiteralValues: @unchecked Sendable {
    let elements: [LiteralElement.Value]

    static let none = LiteralValues(unchecked: [])

    private init(unchecked elements: [LiteralElement.Value]) { self.elements = elements }

    /// - returns: nil if elements are of other types.
    /// - precondition: the layout of elements is known.
    @inline(__always)
    init?(_ elements: [LiteralElement.Value]) {
        let areRecognized = elements.withUnsafeBufferPointer { buffer in
            guard let first = buffer.baseAddress else { return true }
            for offset in 0..<buffer.count
            where !LiteralElement(first + offset).isRecognized { return false }
            return true
        }
        guard areRecognized else { return nil }
        self.elements = elements
    }

    @inline(__always)
    var isEmpty: Bool { elements.isEmpty }

    /// The values that SQLite stores.
    var databaseValues: [DatabaseValue] {
        elements.map { $0?._storableDatabaseValue ?? .null }
    }
}

extension [LiteralElement.Value] {
    /// Binds each element to the parameter at its index.
    ///
    /// - returns: the first result code that is not `SQLITE_OK`; otherwise `SQLITE_OK`.
    @inline(__always)
    func bind(to statement: SQLiteStatement) -> CInt {
        guard LiteralElement.hasKnownLayout else {
            return bindCopies(to: statement)
        }
        return withUnsafeBufferPointer { buffer in
            guard let first = buffer.baseAddress else { return RawStatement.ok }
            for offset in 0..<buffer.count {
                let code = LiteralElement(first + offset)
                    .bindInPlace(to: statement, at: CInt(truncatingIfNeeded: offset) &+ 1)
                if code != RawStatement.ok { return code }
            }
            return RawStatement.ok
        }
    }

    private func bindCopies(to statement: SQLiteStatement) -> CInt {
        var index: CInt = 0
        for element in self {
            index += 1
            let code =
                element?.bind(to: statement, at: index) ?? RawBinding.null(statement, index)
            if code != RawStatement.ok { return code }
        }
        return RawStatement.ok
    }
}

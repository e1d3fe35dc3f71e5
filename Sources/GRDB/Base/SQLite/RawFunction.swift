import CGRDBSQLite

/// A call of an SQL function: its arguments, and the context that receives its result.
package struct RawFunctionCall {
    fileprivate let context: OpaquePointer
    let argumentCount: Int
    private let arguments: UnsafeMutablePointer<OpaquePointer?>?

    package init(
        context: OpaquePointer, argumentCount: CInt,
        arguments: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        self.context = context
        self.argumentCount = Int(argumentCount)
        self.arguments = arguments
    }

    func argument(at index: Int) -> OpaquePointer {
        arguments![index]!
    }

    /// The argument as a number. Texts and blobs are converted.
    func double(at index: Int) -> Double {
        grdb_sqlite3_value_double(arguments![index]!)
    }

    /// The subtype of an argument; 0 unless a function has set one.
    package func subtype(at index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: grdb_sqlite3_value_subtype(arguments![index]!))
    }

    /// Sets the subtype of the result. The function must be registered with this option.
    package func returnSubtype(_ subtype: UInt8) {
        grdb_sqlite3_result_subtype(context, CUnsignedInt(subtype))
    }

    package func returnNull() {
        grdb_sqlite3_result_null(context)
    }

    package func returnValue(_ value: Int64) {
        grdb_sqlite3_result_int64(context, value)
    }

    package func returnValue(_ value: Double) {
        grdb_sqlite3_result_double(context, value)
    }

    package func returnValue(_ value: String) {
        var value = value
        value.withUTF8(returnText)
    }

    /// Returns a text.
    package func returnText(_ utf8: UnsafeBufferPointer<UInt8>) {
        utf8.withMemoryRebound(to: CChar.self) { chars in
            // A null pointer would return NULL.
            if let start = chars.baseAddress {
                grdb_result_text_transient(context, start, UInt64(chars.count))
            } else {
                grdb_result_text_transient(context, "", 0)
            }
        }
    }

    package func returnValue(_ bytes: UnsafeRawBufferPointer) {
        if let start = bytes.baseAddress, bytes.count > 0 {
            grdb_result_blob_transient(context, start, UInt64(bytes.count))
        } else {
            grdb_sqlite3_result_zeroblob(context, 0)
        }
    }

    func fail(code: CInt, message: String?) {
        if let message { grdb_sqlite3_result_error(context, message, -1) }
        // After the message, which sets the code SQLITE_ERROR. A code keeps the message.
        grdb_sqlite3_result_error_code(context, code)
    }

    /// The memory for the state of an aggregate in one group.
    ///
    /// - parameter size: with a size of zero, nothing is allocated for a group without rows.
    private func aggregateSlot(size: Int = 0) -> UnsafeMutablePointer<Unmanaged<AnyObject>?>? {
        grdb_sqlite3_aggregate_context(context, CInt(size))?
            .assumingMemoryBound(to: Unmanaged<AnyObject>?.self)
    }

    /// The state of an aggregate in one group, created on demand.
    ///
    /// - returns: nil if memory is exhausted. The call has failed in this case.
    func aggregateState(_ make: () -> AnyObject) -> AnyObject? {
        guard let slot = aggregateSlot(size: MemoryLayout<Unmanaged<AnyObject>?>.size) else {
            grdb_sqlite3_result_error_nomem(context)
            return nil
        }
        // New memory is filled with zeros, and so with nil.
        if let state = slot.pointee { return state.takeUnretainedValue() }
        let state = make()
        slot.pointee = .passRetained(state)
        return state
    }

    /// The state of an aggregate; nil if it has received no row.
    var existingAggregateState: AnyObject? { aggregateSlot()?.pointee?.takeUnretainedValue() }

    /// Takes the state of an aggregate from SQLite; nil if it has received no row.
    func takeAggregateState() -> AnyObject? {
        let slot = aggregateSlot()
        defer { slot?.pointee = nil }
        return slot?.pointee?.takeRetainedValue()
    }
}

/// The implementation of an SQL function. SQLite owns it until the function is removed or redefined, or
/// the connection is closed.
package final class RawFunction {
    enum Implementation {
        case scalar((RawFunctionCall) -> Void)
        /// - parameter isWindow: whether SQLite may also remove rows, and ask for intermediate results.
        case aggregate((AggregateOperation, RawFunctionCall) -> Void, isWindow: Bool)
    }

    /// What SQLite asks of an aggregate. Calls for a result have no arguments.
    package enum AggregateOperation {
        /// Adds a row to the group.
        case step
        /// Removes a row from the window.
        case inverse
        /// Returns the result for the rows in the window.
        case value
        /// Returns the result. Called once per group, even after an error.
        case finalize
    }

    /// The properties of a function.
    ///
    /// See <https://www.sqlite.org/c3ref/c_deterministic.html>.
    package struct Options: OptionSet, Sendable {
        package let rawValue: CInt

        package init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        package static let isPure = Options(rawValue: SQLITE_DETERMINISTIC)
        package static let isDirectOnly = Options(rawValue: SQLITE_DIRECTONLY)
        package static let isInnocuous = Options(rawValue: SQLITE_INNOCUOUS)
        package static let usesSubtypes = Options(rawValue: SQLITE_SUBTYPE | SQLITE_RESULT_SUBTYPE)
    }

    let implementation: Implementation

    init(_ implementation: Implementation) {
        self.implementation = implementation
    }

    /// Adds or redefines a function.
    ///
    /// - parameter argumentCount: -1 for any number.
    func register(
        in connection: SQLiteConnection, name: String, argumentCount: CInt, options: Options
    ) -> CInt {
        let flags = SQLITE_UTF8 | options.rawValue
        let owned = Unmanaged.passRetained(self).toOpaque()
        // SQLite also calls xDestroy when this function fails.
        switch implementation {
        case .scalar:
            return grdb_sqlite3_create_function_v2(
                connection, name, argumentCount, flags, owned,
                { context, count, arguments in
                    guard
                        case .scalar(let function) = RawFunction.function(context).implementation
                    else { return }
                    function(
                        RawFunctionCall(
                            context: context!, argumentCount: count, arguments: arguments))
                }, nil, nil, { Unmanaged<RawFunction>.fromOpaque($0!).release() })
        case .aggregate(_, let isWindow):
            // Without the last two functions, SQLite creates an ordinary aggregate.
            return grdb_sqlite3_create_window_function(
                connection, name, argumentCount, flags, owned,
                { RawFunction.aggregate(.step, $0, $1, $2) },
                { RawFunction.aggregate(.finalize, $0) },
                isWindow ? { RawFunction.aggregate(.value, $0) } : nil,
                isWindow ? { RawFunction.aggregate(.inverse, $0, $1, $2) } : nil,
                { Unmanaged<RawFunction>.fromOpaque($0!).release() })
        }
    }

    private static func aggregate(
        _ operation: AggregateOperation, _ context: OpaquePointer?, _ argumentCount: CInt = 0,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>? = nil
    ) {
        guard case .aggregate(let function, _) = function(context).implementation else { return }
        function(
            operation,
            RawFunctionCall(
                context: context!, argumentCount: argumentCount, arguments: arguments))
    }

    static func remove(
        from connection: SQLiteConnection, name: String, argumentCount: CInt
    ) -> CInt {
        grdb_sqlite3_create_function_v2(
            connection, name, argumentCount, SQLITE_UTF8, nil, nil, nil, nil, nil)
    }

    private static func function(_ context: OpaquePointer?) -> RawFunction {
        Unmanaged<RawFunction>.fromOpaque(grdb_sqlite3_user_data(context)!).takeUnretainedValue()
    }
}

/// The implementation of a collation. Owned by SQLite like a ``RawFunction``.
final class RawCollation {
    /// Returns a negative number, zero or a positive number. Receives UTF-8 that may contain NUL.
    let compare: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> CInt

    init(_ compare: @escaping (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> CInt) {
        self.compare = compare
    }

    func register(in connection: SQLiteConnection, name: String) -> CInt {
        let owned = Unmanaged.passRetained(self)
        let code = grdb_sqlite3_create_collation_v2(
            connection, name, SQLITE_UTF8, owned.toOpaque(),
            { context, leftCount, left, rightCount, right in
                let collation = Unmanaged<RawCollation>.fromOpaque(context!)
                    .takeUnretainedValue()
                return collation.compare(
                    UnsafeBufferPointer(
                        start: left?.assumingMemoryBound(to: UInt8.self), count: Int(leftCount)),
                    UnsafeBufferPointer(
                        start: right?.assumingMemoryBound(to: UInt8.self),
                        count: Int(rightCount)))
            }, { Unmanaged<RawCollation>.fromOpaque($0!).release() })
        if code != SQLITE_OK {
            // Unlike for functions, xDestroy is not called when this fails.
            owned.release()
        }
        return code
    }

    static func remove(from connection: SQLiteConnection, name: String) -> CInt {
        grdb_sqlite3_create_collation_v2(connection, name, SQLITE_UTF8, nil, nil, nil)
    }
}

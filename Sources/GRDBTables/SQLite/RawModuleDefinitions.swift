import GRDB
import CGRDBSQLite

private typealias TablePointer = UnsafeMutablePointer<grdb_sqlite3_vtab>
private typealias CursorPointer = UnsafeMutablePointer<grdb_sqlite3_vtab_cursor>

/// The `sqlite3_module` structures of Swift modules, one per set of features. They are never freed,
/// because tables refer to them until they are disconnected.
enum RawModuleDefinitions {
    fileprivate struct State {
        var definitions: [RawTableModule.Features: UnsafePointer<grdb_sqlite3_module>] = [:]
        var shadowNames: [[String]] = []
    }

    fileprivate static let state = Locked(State())

    /// - returns: nil if there are too many different lists of shadow names.
    static func definition(
        for features: RawTableModule.Features
    ) -> UnsafePointer<grdb_sqlite3_module>? {
        state.withLock { state in
            if let definition = state.definitions[features] { return definition }
            var module = grdb_sqlite3_module()
            setTables(&module, features)
            setCursors(&module)
            if features.isWritable { module.xUpdate = update }
            if features.hasTransactions { setTransactions(&module) }
            if !features.isEponymousOnly { module.xRename = rename }
            if !features.shadowNames.isEmpty {
                let names = features.shadowNames.map { ASCIICase.lowercased($0) }
                let slot: Int
                if let known = state.shadowNames.firstIndex(of: names) {
                    slot = known
                } else {
                    guard state.shadowNames.count < shadowCallbacks.count else { return nil }
                    slot = state.shadowNames.count
                    state.shadowNames.append(names)
                }
                module.xShadowName = shadowCallbacks[slot]
            }
            let definition = UnsafeMutablePointer<grdb_sqlite3_module>.allocate(capacity: 1)
            definition.initialize(to: module)
            state.definitions[features] = UnsafePointer(definition)
            return UnsafePointer(definition)
        }
    }

    private static func setTables(
        _ module: inout grdb_sqlite3_module, _ features: RawTableModule.Features
    ) {
        module.iVersion = 4
        module.xConnect = connect
        module.xDisconnect = { table in
            freeTable(table!)
            return SQLITE_OK
        }
        if features.isEponymousOnly {
            module.xDestroy = module.xDisconnect
        } else {
            // SQLite treats a module whose xCreate equals xConnect as eponymous.
            module.xCreate = features.isEponymous ? connect : create
            module.xDestroy = { table in
                let code = call(table!) { try $0.destroy() }
                // Otherwise, SQLite keeps the table.
                if code == SQLITE_OK { freeTable(table!) }
                return code
            }
        }
        module.xBestIndex = { table, info in
            var isPossible = true
            let code = call(table!) { isPossible = try $0.plan(RawTablePlan(info: info!)) }
            return code == SQLITE_OK && !isPossible ? SQLITE_CONSTRAINT : code
        }
        module.xIntegrity = { table, schema, name, flags, message in
            call(table!) { object in
                if let problem = try object.integrityProblem(
                    schema: String(cString: schema!), table: String(cString: name!),
                    isQuick: flags & 1 != 0)
                {
                    message!.pointee = grdbCopyMessage(problem)
                }
            }
        }
    }

    private static func setCursors(_ module: inout grdb_sqlite3_module) {
        module.xOpen = { table, cursor in
            call(table!) { table in
                let memory = UnsafeMutablePointer<RawCursorMemory>.allocate(capacity: 1)
                do {
                    memory.initialize(
                        to: RawCursorMemory(cursor: .passRetained(try table.makeCursor())))
                } catch {
                    memory.deallocate()
                    throw error
                }
                cursor!.pointee = UnsafeMutableRawPointer(memory)
                    .assumingMemoryBound(to: grdb_sqlite3_vtab_cursor.self)
            }
        }
        module.xClose = { cursor in
            let memory = UnsafeMutableRawPointer(cursor!)
                .assumingMemoryBound(to: RawCursorMemory.self)
            let object = memory.pointee.cursor
            object._withUnsafeGuaranteedRef { $0.close() }
            memory.deinitialize(count: 1)
            memory.deallocate()
            object.release()
            return SQLITE_OK
        }
        module.xFilter = { cursor, number, text, count, arguments in
            call(cursor!) {
                try $0.filter(
                    number: number, text: text,
                    RawFunctionArguments(count: Int(count), start: arguments))
            }
        }
        module.xNext = { cursor in call(cursor!) { try $0.next() } }
        module.xEof = { cursor in
            cursorObject(cursor!)._withUnsafeGuaranteedRef { $0.isAtEnd } ? 1 : 0
        }
        module.xColumn = { cursor, context, index in
            call(cursor!) {
                try $0.column(
                    index, RawFunctionCall(context: context!, argumentCount: 0, arguments: nil))
                // SQLite compares and indexes values as if they had the types of ordinary columns.
                let affinity = UnsafeMutableRawPointer(cursor!.pointee.pVtab)
                    .assumingMemoryBound(to: RawTableMemory.self).pointee.affinities[Int(index)]
                if affinity > RawAffinity.blob.rawValue {
                    grdb_store_result(context!, CInt(affinity))
                }
            }
        }
        module.xRowid = { cursor, rowID in
            call(cursor!) { rowID!.pointee = try $0.rowID() }
        }
    }

    private static func setTransactions(_ module: inout grdb_sqlite3_module) {
        module.xBegin = { table in call(table!) { try $0.begin() } }
        module.xSync = { table in call(table!) { try $0.sync() } }
        module.xCommit = { table in call(table!) { $0.commit() } }
        module.xRollback = { table in call(table!) { $0.rollback() } }
        module.xSavepoint = { table, number in call(table!) { try $0.savepoint(number) } }
        module.xRelease = { table, number in call(table!) { try $0.release(number) } }
        module.xRollbackTo = { table, number in call(table!) { try $0.rollback(to: number) } }
    }

    // MARK: - Callbacks

    private static let create:
        @convention(c) (
            OpaquePointer?, UnsafeMutableRawPointer?, CInt,
            UnsafePointer<UnsafePointer<CChar>?>?, UnsafeMutablePointer<TablePointer?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        ) -> CInt = { handle, module, count, arguments, table, message in
            makeTable(handle, module, count, arguments, table, message, isCreated: true)
        }

    private static let connect:
        @convention(c) (
            OpaquePointer?, UnsafeMutableRawPointer?, CInt,
            UnsafePointer<UnsafePointer<CChar>?>?, UnsafeMutablePointer<TablePointer?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        ) -> CInt = { handle, module, count, arguments, table, message in
            makeTable(handle, module, count, arguments, table, message, isCreated: false)
        }

    private static let update:
        @convention(c) (
            TablePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?,
            UnsafeMutablePointer<Int64>?
        ) -> CInt = { table, count, values, rowID in
            call(table!) { object in
                let values = values!
                if count == 1 {
                    try object.delete(rowID: values[0]!)
                    return
                }
                let columns = RawFunctionArguments(count: Int(count) - 2, start: values + 2)
                let handle = UnsafeMutableRawPointer(table!)
                    .assumingMemoryBound(to: RawTableMemory.self).pointee.connection
                    ._withUnsafeGuaranteedRef { $0.handle }
                let onConflict = grdb_sqlite3_vtab_on_conflict(handle)
                if grdb_sqlite3_value_type(values[0]) == SQLITE_NULL {
                    rowID!.pointee = try object.insert(
                        columns, rowID: values[1]!, onConflict: onConflict)
                } else {
                    try object.update(
                        rowID: values[0]!, newRowID: values[1]!, columns, onConflict: onConflict)
                }
            }
        }

    private static let rename: @convention(c) (TablePointer?, UnsafePointer<CChar>?) -> CInt = {
        table, name in
        call(table!) { try $0.rename(to: String(cString: name!)) }
    }

    // MARK: - Shadow tables

    // xShadowName only receives the suffix of a table name, so each list of names needs its own function.
    private static let shadowCallbacks: [@convention(c) (UnsafePointer<CChar>?) -> CInt] = [
        { isShadow($0, 0) }, { isShadow($0, 1) }, { isShadow($0, 2) }, { isShadow($0, 3) },
        { isShadow($0, 4) }, { isShadow($0, 5) }, { isShadow($0, 6) }, { isShadow($0, 7) },
        { isShadow($0, 8) }, { isShadow($0, 9) }, { isShadow($0, 10) }, { isShadow($0, 11) },
        { isShadow($0, 12) }, { isShadow($0, 13) }, { isShadow($0, 14) }, { isShadow($0, 15) },
    ]
}

private func makeTable(
    _ handle: OpaquePointer?, _ module: UnsafeMutableRawPointer?, _ count: CInt,
    _ arguments: UnsafePointer<UnsafePointer<CChar>?>?,
    _ table: UnsafeMutablePointer<TablePointer?>?,
    _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, isCreated: Bool
) -> CInt {
    let module = Unmanaged<RawTableModule>.fromOpaque(module!).takeUnretainedValue()
    let connection = module.connection
    do {
        let texts = (0..<Int(count)).map { String(cString: arguments![$0]!) }
        let (object, declaration, config) = try module.connect(texts, isCreated: isCreated)
        let code = grdb_sqlite3_declare_vtab(handle, declaration)
        if code != SQLITE_OK {
            // SQLite reports an interruption as an error in the declaration.
            if connection.isInterrupted {
                throw RawFailure(code: SQLITE_INTERRUPT, message: "interrupted")
            }
            throw connection.failure(code)
        }
        if module.features.isWritable {
            grdb_vtab_config(handle!, RawTableConfig.usesConflicts, 1)
        }
        for option in config { grdb_vtab_config(handle!, option, 1) }
        let memory = UnsafeMutablePointer<RawTableMemory>.allocate(capacity: 1)
        memory.initialize(
            to: RawTableMemory(
                table: .passRetained(object), connection: .passUnretained(connection),
                affinities: RawAffinity.converting(object, in: handle!)))
        table!.pointee = UnsafeMutableRawPointer(memory)
            .assumingMemoryBound(to: grdb_sqlite3_vtab.self)
        return SQLITE_OK
    } catch {
        let (code, text) = connection.keepCallbackError(error)
        message!.pointee = grdbCopyMessage(text)
        return code
    }
}

@inline(__always)
private func cursorObject(_ cursor: CursorPointer) -> Unmanaged<RawTableCursor> {
    UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: RawCursorMemory.self)
        .pointee.cursor
}

private func call(
    _ table: TablePointer, _ body: (RawVirtualTable) throws -> Void
) -> CInt {
    // Retain the table, because the closure may replace the module.
    let object = UnsafeMutableRawPointer(table)
        .assumingMemoryBound(to: RawTableMemory.self).pointee.table.takeUnretainedValue()
    do {
        try body(object)
        return SQLITE_OK
    } catch {
        return fail(table, error)
    }
}

@inline(__always)
private func call(
    _ cursor: CursorPointer, _ body: (RawTableCursor) throws -> Void
) -> CInt {
    do {
        try cursorObject(cursor)._withUnsafeGuaranteedRef(body)
        return SQLITE_OK
    } catch {
        return fail(cursor.pointee.pVtab, error)
    }
}

private func fail(_ table: TablePointer, _ error: any Error) -> CInt {
    let memory = UnsafeMutableRawPointer(table).assumingMemoryBound(to: RawTableMemory.self)
    let connection = memory.pointee.connection.takeUnretainedValue()
    let (code, message) = connection.keepCallbackError(error)
    grdb_sqlite3_free(memory.pointee.base.zErrMsg)
    memory.pointee.base.zErrMsg = grdbCopyMessage(message)
    return code
}

private func freeTable(_ table: TablePointer) {
    let memory = UnsafeMutableRawPointer(table).assumingMemoryBound(to: RawTableMemory.self)
    grdb_sqlite3_free(memory.pointee.base.zErrMsg)
    let object = memory.pointee.table
    memory.pointee.affinities.deallocate()
    memory.deinitialize(count: 1)
    memory.deallocate()
    object.release()
}

private func isShadow(_ name: UnsafePointer<CChar>?, _ slot: Int) -> CInt {
    let name = ASCIICase.lowercased(String(cString: name!))
    return RawModuleDefinitions.state.withLock { $0.shadowNames[slot].contains(name) }
        ? 1 : 0
}

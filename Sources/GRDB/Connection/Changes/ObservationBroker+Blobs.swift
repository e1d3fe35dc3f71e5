#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
import Foundation
#else
import FoundationEssentials
#endif

/// The bytes being written into a blob.
///
/// Valid during the write.
struct BlobWrite {
    let bytes: UnsafeRawBufferPointer
    let offset: Int
}

/// A row change caused by a write into one of the row's values.
///
/// SQLite reports a deletion of the row, with its old values. The new values only differ in the
/// written bytes.
final class BlobWriteEvent {
    let update: RawPreUpdate
    let route: ChangeRoute
    let convertsMismatchedValues: Bool
    private let write: BlobWrite

    init(
        _ update: RawPreUpdate, _ route: ChangeRoute, _ write: BlobWrite,
        convertsMismatchedValues: Bool
    ) {
        self.convertsMismatchedValues = convertsMismatchedValues
        self.update = update
        self.route = route
        self.write = write
    }

    func initialValue(at index: CInt) -> DatabaseValue? {
        update.oldValue(at: index).map { DatabaseValue(rawValue: $0) }
    }

    func finalValue(at index: CInt) -> DatabaseValue? {
        guard let value = initialValue(at: index), index == update.blobColumn else {
            return initialValue(at: index)
        }
        switch value.storage {
        case .blob(var data):
            replaceBytes(of: &data)
            return data.databaseValue
        case .string(let text):
            var data = Data(text.utf8)
            replaceBytes(of: &data)
            return String(decoding: data, as: UTF8.self).databaseValue
        default:
            return value
        }
    }

    private func replaceBytes(of data: inout Data) {
        let start = data.startIndex + write.offset
        guard write.offset + write.bytes.count <= data.count else { return }
        data.replaceSubrange(start..<start + write.bytes.count, with: write.bytes)
    }
}

extension ObservationBroker {
    /// Writes into a blob, and notifies observers of an update of the row. SQLite calls no update hook
    /// for such a write.
    ///
    /// - parameter table: the table, with names spelled as in the schema.
    /// - parameter write: performs the write, and returns a result code.
    func performBlobWrite(
        _ blobWrite: BlobWrite, table: DatabaseObjectID, column: String, rowID: Int64,
        _ write: () -> CInt
    ) -> CInt {
        guard isActive else { return write() }
        let ordinal = eventOrdinal
        let heldCount = held.count
        let kind = DatabaseEventKind.update(tableName: table.name, columnNames: [column])
        let code = perform([kind], replaces: false) {
            self.blobWrite = blobWrite
            let code = write()
            self.blobWrite = nil
            if code == RawStatement.ok {
                table.schemaID.name.withCString { schema in
                    table.name.withCString { name in
                        didUpdate(
                            RawUpdate(
                                kind: RawUpdate.updateKind, schema: schema, table: name,
                                rowID: rowID))
                    }
                }
            }
            return code
        }
        if code != RawStatement.ok, eventOrdinal != ordinal {
            changesWereUndone(since: ordinal, heldCount: heldCount)
        }
        return code
    }
}

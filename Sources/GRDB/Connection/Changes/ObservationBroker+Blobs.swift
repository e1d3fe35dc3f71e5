import _GRDBSystem

/// The bytes being written into a blob.
///
/// Valid during the write.
struct BlobWrite {
    let bytes: UnsafeRawBufferPointer
    let offset: Int

    /// Returns the value after the write.
    func change(_ value: DatabaseValue) -> DatabaseValue {
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
        let start = data.startIndex + offset
        guard offset + bytes.count <= data.count else { return }
        data.replaceSubrange(start..<start + bytes.count, with: bytes)
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

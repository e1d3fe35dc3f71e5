import GRDB
import _GRDBSystem

/// A request to Litestream to replicate a database, and its answer.
///
/// `POST /sync` takes the path of the database in the configuration of Litestream, whether to wait
/// for the storage, and a time limit, which must be an integral number of seconds. Litestream may
/// exceed that limit: if it can't reach the storage, it finishes its retries first.
///
/// Related documentation: <https://litestream.io/reference/sync/>
struct ReplicatorRequest {
    var databasePath: String
    var timeout: TimeInterval

    private struct Body: Encodable {
        var path: String
        var wait = true
        var timeout: Int
    }

    private struct AnswerBody: Decodable {
        var status: String
        var txid: UInt64
        var replicated_txid: UInt64?
    }

    /// The answer of Litestream.
    struct Answer {
        var position: ReplicationPosition
        /// Whether the storage is in sync with the database.
        var isSynced: Bool
    }

    private struct Refusal: Decodable {
        var error: String
        var details: String?
    }

    /// Returns the bytes of the request. HTTP/1.0 makes the server send the answer unchunked, and
    /// close the connection.
    func bytes() throws -> [UInt8] {
        let seconds = Int(max(1, min(timeout.rounded(.up), 86_400)))
        let body = try JSONEncoder().encode(Body(path: databasePath, timeout: seconds))
        let head = """
            POST /sync HTTP/1.0\r
            Host: localhost\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            \r

            """
        return Array(head.utf8) + Array(body)
    }

    /// Parses an answer.
    ///
    /// - throws: a ``ReplicationError``.
    static func answer(_ answer: [UInt8]) throws -> Answer {
        guard let (status, body) = split(answer) else {
            throw ReplicationError.invalidAnswer(shown(answer[...]))
        }
        let data = Data(body)
        guard status == 200 else {
            let refusal = try? JSONDecoder().decode(Refusal.self, from: data)
            let message = refusal.map {
                [$0.error, $0.details].compactMap { $0 }.joined(separator: ": ")
            }
            throw ReplicationError.refused(status: status, message: message ?? shown(body))
        }
        guard let answer = try? JSONDecoder().decode(AnswerBody.self, from: data) else {
            throw ReplicationError.invalidAnswer(shown(body))
        }
        return Answer(
            position: ReplicationPosition(
                transactionID: answer.txid, replicatedTransactionID: answer.replicated_txid ?? 0),
            // "synced_local" means that the storage does not have the transactions yet.
            isSynced: ["synced", "no_change"].contains(answer.status))
    }

    /// Returns the status and the body of an answer.
    private static func split(_ answer: [UInt8]) -> (status: Int, body: ArraySlice<UInt8>)? {
        let separator = Array("\r\n\r\n".utf8)
        guard answer.starts(with: "HTTP/1.".utf8),
            let end = answer.indices.first(where: { answer[$0...].starts(with: separator) })
        else { return nil }
        let head = String(decoding: answer[..<end], as: UTF8.self)
        let words = head.prefix { $0 != "\r\n" }.split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else { return nil }
        return (status, answer[(end + separator.count)...])
    }

    private static func shown(_ bytes: ArraySlice<UInt8>) -> String {
        let text = String(decoding: bytes.prefix(200), as: UTF8.self)
        return text.isEmpty ? "nothing" : text.trimmed
    }
}

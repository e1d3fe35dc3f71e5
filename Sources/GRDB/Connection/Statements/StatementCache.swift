/// The prepared statements of a connection, by SQL text.
///
/// A statement that is in use is not handed out again: a second request for the same SQL gets
/// another statement. A statement is in use if the cache does not have the only reference.
///
/// Belongs to the thread that owns the connection.
package final class StatementCache {
    private struct Entry {
        let sql: String
        let memory: TextMemory
        var statement: Statement
        /// Whether the entry was used since the clock hand passed it.
        var wasUsed = true
        /// The entry that was found next when this entry was last found.
        var successor = 0

        init(sql: String, statement: Statement) {
            self.sql = sql
            self.statement = statement
            memory = TextMemory(sql)
        }
    }

    @exclusivity(unchecked)
    private var entries: [Entry] = []
    private var indexes: [String: Int] = [:]
    private var hand = 0

    /// The entry that was found last. Loops request the same text, or the same few texts in turn:
    /// to begin, to update, to commit. Such texts are predicted, because comparing texts is faster
    /// than hashing them.
    @exclusivity(unchecked)
    private(set) var latestIndex = 0
    private let capacity: Int

    init(capacity: Int = 128) {
        self.capacity = capacity
    }

    /// Returns an unused statement for the SQL text, if there is one.
    ///
    /// - parameter keepsArguments: whether the statement keeps the arguments of its previous user,
    ///   for ``Statement/exchangeArguments(_:)``. They don't count as set.
    func checkout(_ sql: String, keepsArguments: Bool = false) -> Statement? {
        guard let index = index(of: sql) else { return nil }
        guard isKnownUniquelyReferenced(&entries[index].statement) else { return nil }
        entries[index].wasUsed = true
        let statement = entries[index].statement
        if RawStatement.isFinalized(statement.sqliteStatement) { return nil }
        if keepsArguments {
            statement.invalidateArguments()
        } else {
            statement.forgetArguments()
        }
        return statement
    }

    private func index(of sql: String) -> Int? {
        guard latestIndex < entries.count else { return knownIndex(of: sql) }
        let memory = TextMemory(sql)
        if entries[latestIndex].memory == memory { return latestIndex }
        let guess = entries[latestIndex].successor
        if guess < entries.count, entries[guess].memory == memory {
            latestIndex = guess
            return guess
        }
        // A text with the same bytes may be elsewhere in memory.
        if entries[latestIndex].sql.hasSameUTF8(as: sql) { return latestIndex }
        if guess < entries.count, entries[guess].sql.hasSameUTF8(as: sql) {
            latestIndex = guess
            return guess
        }
        guard let index = knownIndex(of: sql) else { return nil }
        entries[latestIndex].successor = index
        latestIndex = index
        return index
    }

    private func knownIndex(of sql: String) -> Int? {
        guard let index = indexes[sql] else { return nil }
        // Strings that are equal in Swift can have different bytes, such as composed and decomposed
        // accented letters.
        return entries[index].sql.hasSameUTF8(as: sql) ? index : nil
    }

    /// Keeps a statement for reuse. The key is the text passed to `checkout`, which may have blanks
    /// or comments that the SQL of the statement lacks.
    func insert(_ statement: Statement, forSQL sql: String) {
        guard statement.effects.isReusable else { return }
        let entry = Entry(sql: sql, statement: statement)
        if let index = indexes[sql] {
            // The statement for this key is in use. The new statement replaces it.
            entries[index] = entry
        } else if entries.count < capacity {
            indexes[sql] = entries.count
            entries.append(entry)
        } else {
            let index = evictedIndex()
            indexes[entries[index].sql] = nil
            indexes[sql] = index
            entries[index] = entry
        }
    }

    /// Chooses an entry that was not used recently, with the clock algorithm.
    private func evictedIndex() -> Int {
        while true {
            let index = hand
            hand = (hand + 1) % entries.count
            if !entries[index].wasUsed { return index }
            entries[index].wasUsed = false
        }
    }

    /// Whether a cached statement may have a region refinement.
    var mayHoldRefinements = false

    /// Releases the region refinements of unused statements.
    func forgetRefinements() {
        guard mayHoldRefinements else { return }
        mayHoldRefinements = false
        // Released last: values captured by their closures may use this cache when they are
        // deallocated.
        var refinements: [any RegionRefinement] = []
        for index in entries.indices where entries[index].statement.regionRefinement != nil {
            if isKnownUniquelyReferenced(&entries[index].statement) {
                if let refinement = entries[index].statement.takeRegionRefinement() {
                    refinements.append(refinement)
                }
            } else {
                mayHoldRefinements = true
            }
        }
        withExtendedLifetime(refinements) {}
    }

    package func removeAll() {
        entries = []
        indexes = [:]
        hand = 0
        // With an index beyond the entries, nothing would be predicted until there are as many
        // entries again.
        latestIndex = 0
    }
}

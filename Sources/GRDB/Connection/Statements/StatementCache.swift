/// The prepared statements of a connection, by SQL text.
///
/// A statement that is in use is not handed out again: a second request for the same SQL gets
/// another statement. In use means that the cache does not hold the only reference.
///
/// Belongs to the thread that owns the connection.
final class StatementCache {
    private struct Entry {
        var sql: String
        var statement: Statement
        /// Whether the entry was used since the clock hand passed it.
        var wasUsed = true
        /// The entry that was found after this one when this one was found last.
        var successor = 0
    }

    @exclusivity(unchecked)
    private var entries: [Entry] = []
    private var indexes: [String: Int] = [:]
    private var hand = 0

    /// The entry that was found last. Loops ask for the same text, or for the same few in turn: to
    /// begin, to update, to commit. They are guessed, since text compares faster than it hashes.
    @exclusivity(unchecked)
    private(set) var latestIndex = 0
    private let capacity: Int

    init(capacity: Int = 128) {
        self.capacity = capacity
    }

    /// Returns an unused statement for the SQL text, if there is one.
    ///
    /// - parameter keepsArguments: whether the statement still refers to the arguments of its former
    ///   user, for ``Statement/exchangeArguments(_:)``. They don't count as set.
    func checkout(_ sql: String, keepsArguments: Bool = false) -> Statement? {
        guard let index = index(of: sql) else { return nil }
        guard isKnownUniquelyReferenced(&entries[index].statement) else { return nil }
        entries[index].wasUsed = true
        let statement = entries[index].statement
        if keepsArguments {
            statement.invalidateArguments()
        } else {
            statement.forgetArguments()
        }
        return statement
    }

    private func index(of sql: String) -> Int? {
        guard latestIndex < entries.count else { return indexes[sql] }
        if entries[latestIndex].sql == sql { return latestIndex }
        let guess = entries[latestIndex].successor
        if guess < entries.count, entries[guess].sql == sql {
            latestIndex = guess
            return guess
        }
        guard let index = indexes[sql] else { return nil }
        entries[latestIndex].successor = index
        latestIndex = index
        return index
    }

    /// Keeps a statement for later. The key is the text that `checkout` will be asked for: it may
    /// have blanks or comments that the SQL of the statement lacks.
    func insert(_ statement: Statement, forSQL sql: String) {
        guard statement.effects.isReusable else { return }
        let entry = Entry(sql: sql, statement: statement)
        if let index = indexes[sql] {
            // The statement under this key is in use. The newer one takes its place.
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

    /// Chooses an entry that was not used lately, by the clock algorithm.
    private func evictedIndex() -> Int {
        while true {
            let index = hand
            hand = (hand + 1) % entries.count
            if !entries[index].wasUsed { return index }
            entries[index].wasUsed = false
        }
    }

    /// Whether a cached statement may know the query that it was made from.
    var mayHoldRefinements = false

    /// Frees the queries of the statements that nobody uses.
    func forgetRefinements() {
        guard mayHoldRefinements else { return }
        mayHoldRefinements = false
        // They go last: what their closures hold may come here when it is deallocated.
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

    func removeAll() {
        entries = []
        indexes = [:]
        hand = 0
        // Beyond the entries, nothing would be guessed until there were as many again.
        latestIndex = 0
    }
}

import GRDB

/// A new list, and its differences from the previous one.
///
/// ```swift
/// let observation = ListObservation.tracking(Player.order(\.name))
/// let list = observation.start(in: dbQueue) { error in
///     print("Could not fetch players: \(error)")
/// } onChange: { change in
///     print("\(change.elements.count) players, \(change.insertions.count) new ones")
/// }
/// ```
///
/// ### Views that show a list
///
/// Deletions and the old indexes of moves refer to the former list. Insertions and the new indexes
/// of moves refer to the new list. Table views expect the same in a batch of updates:
///
/// ```swift
/// func path(_ row: Int) -> IndexPath { IndexPath(row: row, section: 0) }
/// tableView.performBatchUpdates {
///     players = change.elements
///     tableView.deleteRows(at: change.deletions.map { path($0.index) }, with: .fade)
///     tableView.insertRows(at: change.insertions.map { path($0.index) }, with: .fade)
///     for move in change.moves {
///         tableView.moveRow(at: path(move.oldIndex), to: path(move.index))
///     }
/// }
/// // The content of moved elements may have changed, too.
/// for item in change.updates + change.moves {
///     if let cell = tableView.cellForRow(at: path(item.index)) {
///         configure(cell, with: item.element)
///     }
/// }
/// ```
///
/// An element is in at most one of `deletions`, `insertions`, `moves` and `updates`. The number of
/// moves is minimal: an element that only shifts because of other changes is not moved.
public struct ListChange<Element: Sendable>: Sendable {
    /// The new list.
    public let elements: [Element]

    /// The deleted elements, by increasing index in the former list.
    public let deletions: [ListItem<Element, Int>]

    /// The inserted elements, by increasing index in the new list. The first change inserts all
    /// elements.
    public let insertions: [ListItem<Element, Int>]

    /// The elements whose relative order has changed, by increasing index in the new list. Their
    /// content may have changed, too.
    public let moves: [ListItemChange<Element, Int>]

    /// The elements whose content has changed and that have not moved, by increasing index in the
    /// new list.
    public let updates: [ListItemChange<Element, Int>]

    /// Whether the new list is the same as the former one.
    public var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty
    }

    /// The change, as a difference of the standard library.
    ///
    /// ```swift
    /// // players == change.elements
    /// players = players.applying(change.difference)!
    /// ```
    ///
    /// Applied to the former list, the difference produces the new one. Moves and updates are each
    /// a removal and an insertion, associated with each other.
    ///
    /// - complexity: O(*n* log *n*) for *n* changes.
    public var difference: CollectionDifference<Element> {
        var changes: [CollectionDifference<Element>.Change] = []
        for item in deletions {
            changes.append(.remove(offset: item.index, element: item.element, associatedWith: nil))
        }
        for item in insertions {
            changes.append(.insert(offset: item.index, element: item.element, associatedWith: nil))
        }
        for item in moves + updates {
            changes.append(
                .remove(
                    offset: item.oldIndex, element: item.oldElement, associatedWith: item.index))
            changes.append(
                .insert(
                    offset: item.index, element: item.element, associatedWith: item.oldIndex))
        }
        guard let difference = CollectionDifference(changes) else {
            preconditionFailure("Two changes of a list have the same index")
        }
        return difference
    }

    init(_ matching: ListMatching<Element>) {
        elements = matching.new.elements
        deletions = matching.old.elements.enumerated().compactMap { index, element in
            matching.isKept[index] ? nil : ListItem(index: index, element: element)
        }
        var insertions: [ListItem<Element, Int>] = []
        var moves: [ListItemChange<Element, Int>] = []
        var updates: [ListItemChange<Element, Int>] = []
        var stays = longestIncreasingSubsequence(matching.oldIndexes.compactMap { $0 })
            .makeIterator()
        for (index, oldIndex) in matching.oldIndexes.enumerated() {
            guard let oldIndex else {
                insertions.append(ListItem(index: index, element: elements[index]))
                continue
            }
            if !stays.next()! {
                moves.append(matching.itemChange(at: index, oldPosition: oldIndex, position: index))
            } else if matching.isChanged[index] {
                updates.append(
                    matching.itemChange(at: index, oldPosition: oldIndex, position: index))
            }
        }
        self.insertions = insertions
        self.moves = moves
        self.updates = updates
    }
}

import GRDB
public import _GRDBSystem

/// A section of a list: the elements with the same key.
///
/// See ``ListObservation/sections(by:)``.
public struct ListSection<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    /// The key that the elements share.
    public let key: Key

    /// The elements, in the order of the request.
    public let elements: [Element]
}

/// A new list in sections, and its differences from the previous one.
///
/// ```swift
/// let observation = ListObservation
///     .tracking(Player.order(\.team, \.name))
///     .sections(by: \.team)
/// let list = observation.start(in: dbQueue) { error in
///     print("Could not fetch players: \(error)")
/// } onChange: { change in
///     sections = change.sections
/// }
/// ```
///
/// Index paths are pairs of the index of the section and the index of the element in the section.
/// Deletions and the old index paths of moves refer to the former list. Insertions and the new
/// index paths of moves refer to the new list. Table views expect the same in a batch of updates:
///
/// ```swift
/// tableView.performBatchUpdates {
///     sections = change.sections
///     tableView.deleteSections(IndexSet(change.sectionDeletions), with: .fade)
///     tableView.insertSections(IndexSet(change.sectionInsertions), with: .fade)
///     tableView.deleteRows(at: change.deletions.map(\.index), with: .fade)
///     tableView.insertRows(at: change.insertions.map(\.index), with: .fade)
///     for move in change.moves {
///         tableView.moveRow(at: move.oldIndex, to: move.index)
///     }
/// }
/// ```
///
/// A section is inserted or deleted with all its elements: they are not in `insertions` and
/// `deletions`. Views can't move elements out of a deleted section, or into a new one. So an
/// element that leaves a deleted section for a remaining one is inserted there, and an element that
/// goes from a remaining section to a new one is deleted from its old place.
///
/// Sections that change places are deleted and inserted. Their number is minimal.
public struct SectionedListChange<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    /// The new list, in the order of the first element of each section.
    public let sections: [ListSection<Key, Element>]

    /// The increasing indexes of the deleted sections, in the former list.
    public let sectionDeletions: [Int]

    /// The increasing indexes of the inserted sections, in the new list.
    public let sectionInsertions: [Int]

    /// The elements deleted from remaining sections, by increasing index path in the former list.
    public let deletions: [ListItem<Element, IndexPath>]

    /// The elements inserted into remaining sections, by increasing index path in the new list.
    public let insertions: [ListItem<Element, IndexPath>]

    /// The elements that have moved inside their section, or to another section, by increasing
    /// index path in the new list. Both sections are in the old and in the new list.
    public let moves: [ListItemChange<Element, IndexPath>]

    /// The elements whose content has changed and that have not moved, by increasing index path in
    /// the new list.
    public let updates: [ListItemChange<Element, IndexPath>]

    /// Whether the new list is the same as the former one.
    public var isEmpty: Bool {
        sectionDeletions.isEmpty && sectionInsertions.isEmpty && deletions.isEmpty
            && insertions.isEmpty && moves.isEmpty && updates.isEmpty
    }

    init(_ matching: ListMatching<Element>, key: (Element) -> Key) {
        let old = ListGrouping(matching.old.elements, key)
        let new = ListGrouping(matching.new.elements, key)
        sections = zip(new.keys, new.indexes).map { key, indexes in
            ListSection(key: key, elements: indexes.map { matching.new.elements[$0] })
        }

        // For each new section: the index of the same section in the former list, or nil if it is
        // inserted.
        var oldSections = new.keys.map { old.sections[$0] }
        let stays = longestIncreasingSubsequence(oldSections.compactMap { $0 })
        var next = 0
        for section in oldSections.indices where oldSections[section] != nil {
            if !stays[next] { oldSections[section] = nil }
            next += 1
        }
        let remaining = Set(oldSections.compactMap { $0 })
        sectionDeletions = old.keys.indices.filter { !remaining.contains($0) }
        sectionInsertions = oldSections.indices.filter { oldSections[$0] == nil }

        var isDeleted = Array(repeating: true, count: matching.old.elements.count)
        var insertions: [ListItem<Element, IndexPath>] = []
        var moves: [ListItemChange<Element, IndexPath>] = []
        var updates: [ListItemChange<Element, IndexPath>] = []
        for (section, oldSection) in oldSections.enumerated() {
            guard let oldSection else { continue }
            // The elements that were already in this section.
            let kept = new.indexes[section].filter { index in
                matching.oldIndexes[index].map { old.positions[$0][0] == oldSection } ?? false
            }
            let stays = longestIncreasingSubsequence(
                kept.map { old.positions[matching.oldIndexes[$0]!][1] })
            var hasMoved = Array(repeating: true, count: new.indexes[section].count)
            for (index, stays) in zip(kept, stays) where stays {
                hasMoved[new.positions[index][1]] = false
            }
            for index in new.indexes[section] {
                let position = new.positions[index]
                guard let oldIndex = matching.oldIndexes[index],
                    remaining.contains(old.positions[oldIndex][0])
                else {
                    insertions.append(
                        ListItem(index: position, element: matching.new.elements[index]))
                    continue
                }
                isDeleted[oldIndex] = false
                guard hasMoved[position[1]] || matching.isChanged[index] else { continue }
                let change = matching.itemChange(
                    at: index, oldPosition: old.positions[oldIndex], position: position)
                if hasMoved[position[1]] {
                    moves.append(change)
                } else {
                    updates.append(change)
                }
            }
        }
        self.insertions = insertions
        self.moves = moves
        self.updates = updates
        deletions = old.indexes.enumerated().flatMap { section, indexes in
            guard remaining.contains(section) else { return [ListItem<Element, IndexPath>]() }
            return indexes.filter { isDeleted[$0] }.map {
                ListItem(index: old.positions[$0], element: matching.old.elements[$0])
            }
        }
    }
}

/// The elements of a list, grouped into sections.
private struct ListGrouping<Key: Hashable> {
    /// By section: the key.
    private(set) var keys: [Key] = []
    /// By key: the section.
    private(set) var sections: [Key: Int] = [:]
    /// By section: the indexes in the list.
    private(set) var indexes: [[Int]] = []
    /// By index in the list: the section, and the index in it.
    private(set) var positions: [IndexPath] = []

    init<Element>(_ elements: [Element], _ key: (Element) -> Key) {
        positions.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            let key = key(element)
            let section = sections[key] ?? keys.count
            if section == keys.count {
                sections[key] = section
                keys.append(key)
                indexes.append([])
            }
            positions.append([section, indexes[section].count])
            indexes[section].append(index)
        }
    }
}

public import Foundation

/// A section of a list: the elements with the same key.
///
/// See ``ListObservation/sections(by:)``.
public struct ListSection<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    /// What the elements have in common.
    public let key: Key

    /// The elements, in the order of the request.
    public let elements: [Element]
}

/// A new list in sections, and what has changed since the last one.
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
/// Index paths are pairs: the index of the section, and the index of the element in it. Deletions and the
/// old index paths of moves refer to the former list, insertions and the new index paths of moves to the
/// new list. This is what table views expect in a batch of updates:
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
/// A section comes and goes with all its elements, which are then not in `deletions` and `insertions`.
/// Views can't move elements out of a deleted section, nor into a new one. An element that goes from a
/// section that is deleted to one that remains is inserted there. One that goes to a new section is
/// deleted where it was.
///
/// Sections that change places are deleted and inserted, as few as possible.
public struct SectionedListChange<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    /// The new list, in the order of the first element of each section.
    public let sections: [ListSection<Key, Element>]

    /// The indexes of the sections that are gone, in the former list, increasing.
    public let sectionDeletions: [Int]

    /// The indexes of the new sections, in the new list, increasing.
    public let sectionInsertions: [Int]

    /// The elements that are gone from sections that remain, by increasing index path in the former list.
    public let deletions: [ListItem<Element, IndexPath>]

    /// The new elements of sections that were there, by increasing index path in the new list.
    public let insertions: [ListItem<Element, IndexPath>]

    /// The elements that have passed others of their section, or have gone to another section, by
    /// increasing index path in the new list. Both sections were there, and remain.
    public let moves: [ListItemChange<Element, IndexPath>]

    /// The elements that have changed, and have not moved, by increasing index path in the new list.
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

        // By index of the new sections: the one of the old section that remains as this one.
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
            // Those that were in this section already.
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

/// Where the elements of a list are when it is divided into sections.
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

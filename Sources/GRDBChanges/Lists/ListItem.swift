import GRDB

/// An element that was deleted from a list, or inserted into it.
///
/// See ``ListChange`` and ``SectionedListChange``.
public struct ListItem<Element: Sendable, Index: Hashable & Sendable>: Sendable {
    /// The index of the element: in the former list if it was deleted, in the new list if it was
    /// inserted.
    public let index: Index

    /// The element.
    public let element: Element
}

/// An element of two consecutive lists that has moved, or whose content has changed.
///
/// ```swift
/// for update in change.updates {
///     // 2: score 100 -> 200
///     for column in update.columns {
///         print("\(update.index): \(column.name) \(column.oldValue) -> \(column.newValue)")
///     }
/// }
/// ```
///
/// See ``ListChange`` and ``SectionedListChange``.
public struct ListItemChange<Element: Sendable, Index: Hashable & Sendable>: Sendable {
    /// The index of the element in the former list.
    public let oldIndex: Index

    /// The index of the element in the new list.
    public let index: Index

    /// The element in the former list.
    public let oldElement: Element

    /// The element in the new list.
    public let element: Element

    /// The columns that have changed, in the order of the request.
    ///
    /// Empty if the element has only moved, if only prefetched associations have changed, and if
    /// the list is not decoded from database rows: see ``ListObservation/tracking(id:fetch:)``.
    public let columns: [ListColumnChange]
}

/// A column whose value has changed since the former list.
///
/// See ``ListItemChange``.
public struct ListColumnChange: Hashable, Sendable {
    /// The name of the column, prefixed with the scopes of joined tables, as in "team.name".
    public let name: String

    /// The former value; NULL if the column was not fetched.
    public let oldValue: DatabaseValue

    /// The new value; NULL if the column is no longer fetched.
    public let newValue: DatabaseValue
}

extension ListColumnChange {
    /// Returns the differences between two rows of the same identity.
    static func changes(from old: Row, to new: Row, prefix: String = "") -> [ListColumnChange] {
        var result: [ListColumnChange] = []
        func compare(_ name: String, _ oldValue: DatabaseValue, _ newValue: DatabaseValue) {
            if oldValue != newValue {
                result.append(
                    ListColumnChange(name: prefix + name, oldValue: oldValue, newValue: newValue))
            }
        }
        if old.columnNames.elementsEqual(new.columnNames) {
            // By position, since several columns may have the same name.
            for ((name, oldValue), newValue) in zip(old, new.databaseValues) {
                compare(name, oldValue, newValue)
            }
        } else {
            for (name, newValue) in new {
                compare(name, old[name] ?? .null, newValue)
            }
            for (name, oldValue) in old where !new.hasColumn(name) {
                compare(name, oldValue, .null)
            }
        }
        let oldScopes = old.scopes
        let newScopes = new.scopes
        for name in Set(oldScopes.names).union(newScopes.names).sorted() {
            result += changes(
                from: oldScopes[name] ?? Row(), to: newScopes[name] ?? Row(),
                prefix: "\(prefix)\(name).")
        }
        return result
    }
}

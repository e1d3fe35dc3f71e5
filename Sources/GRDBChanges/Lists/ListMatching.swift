import GRDB

/// Two consecutive lists, and the elements that they have in common.
struct ListMatching<Element: Sendable>: Sendable {
    let old: FetchedList<Element>
    let new: FetchedList<Element>

    /// By index in the new list: the index in the old list, nil for new elements.
    let oldIndexes: [Int?]
    /// By index in the old list: whether the new list also has the element.
    let isKept: [Bool]
    /// By index in the new list: whether the element is in both lists, with different content.
    let isChanged: [Bool]

    /// Compares two lists.
    ///
    /// - complexity: linear in the total length of the lists.
    init(from old: FetchedList<Element>, to new: FetchedList<Element>) {
        self.old = old
        self.new = new
        oldIndexes = new.indexes(in: old)
        var isKept = Array(repeating: false, count: old.elements.count)
        isChanged = oldIndexes.enumerated().map { index, oldIndex in
            guard let oldIndex else { return false }
            isKept[oldIndex] = true
            return new.isChanged(at: index, from: old, at: oldIndex)
        }
        self.isKept = isKept
    }

    /// Whether both lists have the same elements, in the same order, with the same content.
    var isIdentity: Bool {
        old.elements.count == new.elements.count
            && !isChanged.contains(true)
            && oldIndexes.enumerated().allSatisfy { $0.offset == $0.element }
    }

    /// Returns the change of an element that is in both lists.
    func itemChange<Index>(
        at index: Int, oldPosition: Index, position: Index
    ) -> ListItemChange<Element, Index> {
        let oldIndex = oldIndexes[index]!
        return ListItemChange(
            oldIndex: oldPosition, index: position, oldElement: old.elements[oldIndex],
            element: new.elements[index],
            columns: isChanged[index] ? new.columnChanges(at: index, from: old, at: oldIndex) : [])
    }
}

/// Finds the longest increasing subsequence: the largest set of elements that need not move.
///
/// - parameter numbers: distinct numbers.
/// - returns: for each index, whether the number belongs to the subsequence.
/// - complexity: O(*n* log *n*), O(*n*) when the numbers are in order.
func longestIncreasingSubsequence(_ numbers: [Int]) -> [Bool] {
    // For each length minus one: the index of the smallest number that ends an increasing
    // subsequence of that length.
    var tails: [Int] = []
    // For each index: the index of the preceding number in the longest subsequence that ends here.
    var predecessors: [Int] = []
    predecessors.reserveCapacity(numbers.count)
    for (index, number) in numbers.enumerated() {
        var length = tails.count
        if let last = tails.last, numbers[last] > number {
            var low = 0
            while low < length {
                let middle = (low + length) / 2
                if numbers[tails[middle]] < number { low = middle + 1 } else { length = middle }
            }
        }
        predecessors.append(length == 0 ? -1 : tails[length - 1])
        if length == tails.count { tails.append(index) } else { tails[length] = index }
    }
    var result = Array(repeating: false, count: numbers.count)
    var index = tails.last ?? -1
    while index >= 0 {
        result[index] = true
        index = predecessors[index]
    }
    return result
}

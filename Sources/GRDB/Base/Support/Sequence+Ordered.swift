extension Sequence {
    /// The sorted elements. Unlike `sorted(by:)`, this does not add a copy of the algorithm, of 3 KB, to the program for
    /// each type of element, but sorts indices. For short sequences.
    package func ordered(by areInIncreasingOrder: (Element, Element) -> Bool) -> [Element] {
        let elements = Array(self)
        return sortedIndices(elements.count) { areInIncreasingOrder(elements[$0], elements[$1]) }
            .map { elements[$0] }
    }
}

@inline(never)
private func sortedIndices(_ count: Int, by areInIncreasingOrder: (Int, Int) -> Bool) -> [Int] {
    (0..<count).sorted(by: areInIncreasingOrder)
}

extension Sequence<String> {
    /// The sorted texts, by one copy of the algorithm for all types of sequences.
    func ordered() -> [String] {
        var texts = Array(self)
        if texts.count > 1 { sort(&texts) }
        return texts
    }
}

@inline(never)
private func sort(_ texts: inout [String]) { texts.sort() }

/// A list whose copies can be extended in logarithmic time.
///
/// Appending to an array copies all its elements if another value shares them, so that chains such as
/// `request = request.filter(…)` or `sql = sql + …` would take quadratic time.
///
/// Short lists are plain arrays. Longer lists are balanced trees of arrays, so that iteration and
/// deallocation don't recurse deeply.
struct Rope<Element>: ExpressibleByArrayLiteral {
    fileprivate enum Node {
        /// The node of short lists, which are the common case: it allocates nothing but the array.
        case leaf([Element])
        /// `height` is one more than the height of the higher subtree. The heights of the subtrees differ by
        /// one at most.
        indirect case branch(Node, Node, height: Int, count: Int)
    }

    fileprivate var root: Node

    /// The maximum length of a leaf that is extended.
    private static var leafCapacity: Int { 32 }

    init(_ elements: [Element]) {
        root = .leaf(elements)
    }

    init(arrayLiteral elements: Element...) {
        root = .leaf(elements)
    }

    var isEmpty: Bool { count == 0 }

    var count: Int { root.count }

    /// The elements as an array.
    var array: [Element] {
        if case .leaf(let elements) = root { return elements }
        var result: [Element] = []
        result.reserveCapacity(root.count)
        root.forEachLeaf { result += $0 }
        return result
    }

    mutating func append(_ element: Element) {
        guard case .leaf(var elements) = root, elements.count < Self.leafCapacity else {
            root = Node.joining(root, .leaf([element]))
            return
        }
        if elements.isEmpty {
            // Without room for more, which `append` would allocate.
            elements = [element]
        } else {
            // Not shared, so that it isn't copied.
            root = .leaf([])
            elements.append(element)
        }
        root = .leaf(elements)
    }

    static func += (lhs: inout Rope, rhs: Rope) {
        if rhs.isEmpty { return }
        if lhs.isEmpty {
            lhs = rhs
        } else if case .leaf(var elements) = lhs.root, case .leaf(let others) = rhs.root,
            elements.count + others.count <= leafCapacity
        {
            lhs.root = .leaf([])
            elements += others
            lhs.root = .leaf(elements)
        } else {
            lhs.root = Node.joining(lhs.root, rhs.root)
        }
    }

    static func + (lhs: Rope, rhs: Rope) -> Rope {
        var result = lhs
        result += rhs
        return result
    }
}

extension Rope.Node {
    var count: Int {
        switch self {
        case .leaf(let elements): elements.count
        case .branch(_, _, _, let count): count
        }
    }

    private var height: Int {
        switch self {
        case .leaf: 0
        case .branch(_, _, let height, _): height
        }
    }

    private static func branch(_ left: Self, _ right: Self) -> Self {
        .branch(
            left, right, height: max(left.height, right.height) + 1,
            count: left.count + right.count)
    }

    /// Concatenates two trees, by inserting the lower tree at the side of the higher tree.
    static func joining(_ left: Self, _ right: Self) -> Self {
        if case .branch(let outer, let inner, let height, _) = left, height > right.height {
            return balanced(outer, joining(inner, right))
        }
        if case .branch(let inner, let outer, let height, _) = right, height > left.height {
            return balanced(joining(left, inner), outer)
        }
        if case .leaf(let first) = left, case .leaf(let second) = right,
            first.count + second.count <= Rope.leafCapacity
        {
            return .leaf(first + second)
        }
        return branch(left, right)
    }

    /// Creates a branch of two trees whose heights differ by two at most, with the rotations of AVL trees.
    private static func balanced(_ left: Self, _ right: Self) -> Self {
        if left.height > right.height + 1, case .branch(let outer, let inner, _, _) = left {
            if inner.height > outer.height, case .branch(let first, let second, _, _) = inner {
                return branch(branch(outer, first), branch(second, right))
            }
            return branch(outer, branch(inner, right))
        }
        if right.height > left.height + 1, case .branch(let inner, let outer, _, _) = right {
            if inner.height > outer.height, case .branch(let first, let second, _, _) = inner {
                return branch(branch(left, first), branch(second, outer))
            }
            return branch(branch(left, inner), outer)
        }
        return branch(left, right)
    }

    func forEachLeaf(_ body: ([Element]) throws -> Void) rethrows {
        switch self {
        case .leaf(let elements):
            try body(elements)
        case .branch(let left, let right, _, _):
            try left.forEachLeaf(body)
            try right.forEachLeaf(body)
        }
    }
}

extension Rope: Sequence {
    struct Iterator: IteratorProtocol {
        private var elements: IndexingIterator<[Element]>
        /// The remaining subtrees, the next one last.
        private var pending: [Node] = []

        fileprivate init(_ rope: Rope) {
            if case .leaf(let leaf) = rope.root {
                elements = leaf.makeIterator()
            } else {
                elements = [].makeIterator()
                pending = [rope.root]
            }
        }

        mutating func next() -> Element? {
            while true {
                if let element = elements.next() { return element }
                guard var node = pending.popLast() else { return nil }
                while case .branch(let left, let right, _, _) = node {
                    pending.append(right)
                    node = left
                }
                if case .leaf(let leaf) = node { elements = leaf.makeIterator() }
            }
        }
    }

    func makeIterator() -> Iterator { Iterator(self) }

    var underestimatedCount: Int { count }
}

extension Rope: Sendable where Element: Sendable {}

extension Rope.Node: Sendable where Element: Sendable {}

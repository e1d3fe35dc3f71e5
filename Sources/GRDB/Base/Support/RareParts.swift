/// The parts of a value that most values of its type don't have.
///
/// They are behind one reference, so that copying the value copies one reference instead of all parts. Like any value,
/// the parts can be changed without changing copies.
struct RareParts<Parts: RarePartsContent>: Sendable {
    /// `@unchecked Sendable`: changed only by a value that has the only reference to it.
    final class Box: @unchecked Sendable {
        @exclusivity(unchecked)
        fileprivate(set) var parts: Parts

        fileprivate init(_ parts: Parts) { self.parts = parts }
    }

    /// Nil if no part was ever set. For reading single parts: `parts` copies all of them.
    private(set) var box: Box?

    /// Whether no part was ever set.
    var isEmpty: Bool { box == nil }

    /// The parts. Setting a part allocates memory if there are none.
    var parts: Parts {
        get { box?.parts ?? Parts() }
        _modify {
            if box == nil {
                box = Box(Parts())
            } else if !isKnownUniquelyReferenced(&box) {
                box = Box(box!.parts)
            }
            yield &box!.parts
        }
    }
}

/// Parts of a value that usually don't exist.
protocol RarePartsContent: Sendable {
    /// Creates parts that are all empty.
    init()
}

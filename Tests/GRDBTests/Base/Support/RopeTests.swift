import GRDBTestSupport
import Testing

@testable import GRDB

struct RopeTests {
    @Test func ropesAreLists() {
        var rope: Rope = [1, 2]
        expectTrue(!rope.isEmpty)
        rope.append(3)
        rope += [4]
        expectEqual(Array(rope), [1, 2, 3, 4])
        expectEqual(rope.array, [1, 2, 3, 4])
        expectEqual(rope.count, 4)
        expectTrue(Rope<Int>().isEmpty)
        expectEqual(Array(Rope<Int>()), [])
        expectEqual((rope + Rope([5])).array, [1, 2, 3, 4, 5])
        expectEqual(rope.count, 4)
    }

    /// Copies stay what they are when one of them is extended.
    @Test func copiesAreIndependent() {
        var copies: [Rope<Int>] = []
        var rope = Rope<Int>()
        for element in 0..<300 {
            copies.append(rope)
            rope.append(element)
        }
        for (count, copy) in copies.enumerated() {
            expectEqual(copy.count, count)
            expectTrue(copy.elementsEqual(0..<count))
        }
    }

    /// Any sequence of concatenations, from both sides, gives the list that arrays give.
    @Test func ropesAreWhatArraysAre() {
        var random = SplitMix64(seed: 1)
        for _ in 0..<30 {
            var ropes: [Rope<Int>] = [[]]
            var arrays: [[Int]] = [[]]
            for step in 0..<60 {
                let first = Int.random(in: ropes.indices, using: &random)
                let second = Int.random(in: ropes.indices, using: &random)
                var (rope, array) = (ropes[first], arrays[first])
                if Bool.random(using: &random) {
                    for element in 0..<Int.random(in: 1...40, using: &random) {
                        rope.append(step * 100 + element)
                        array.append(step * 100 + element)
                    }
                } else if array.count + arrays[second].count < 10_000 {
                    rope += ropes[second]
                    array += arrays[second]
                }
                ropes.append(rope)
                arrays.append(array)
            }
            for (rope, array) in zip(ropes, arrays) {
                expectEqual(rope.array, array)
                expectEqual(Array(rope), array)
                expectEqual(rope.count, array.count)
            }
        }
    }

    /// These copies would take minutes if each of them copied all elements.
    @Test(.patience) func extensionsOfCopiesAreFast() {
        var rope = Rope<Int>()
        for element in 0..<100_000 {
            let extended = rope + Rope([element])
            rope = extended
        }
        expectEqual(rope.count, 100_000)
        expectTrue(rope.elementsEqual(0..<100_000))
        var reversed = Rope<Int>()
        for element in 0..<100_000 {
            reversed = Rope([element]) + reversed
        }
        expectTrue(reversed.elementsEqual((0..<100_000).reversed()))
    }
}

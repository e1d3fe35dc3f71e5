/// Memory to which bytes are written one after the other.
///
/// An array would check for each byte whether it is shared.
package class ByteBuffer {
    @exclusivity(unchecked)
    private(set) final var memory: UnsafeMutablePointer<UInt8>

    @exclusivity(unchecked)
    private(set) final var capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        memory = .allocate(capacity: capacity)
    }

    deinit { memory.deallocate() }

    /// Grows the memory for more bytes than its free capacity.
    @inline(never)
    final func grow(by count: Int) {
        let newCapacity = 2 * capacity + count
        let newMemory = UnsafeMutablePointer<UInt8>.allocate(capacity: newCapacity)
        newMemory.initialize(from: memory, count: capacity)
        memory.deallocate()
        memory = newMemory
        capacity = newCapacity
    }
}

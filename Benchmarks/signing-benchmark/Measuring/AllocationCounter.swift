/// Counts allocations on the heap: what goes through malloc, calloc, realloc, aligned_alloc and posix_memalign, Swift's included.
enum AllocationCounter {
    /// Whether the counter works: one object that is known to be allocated counts for one, and so does aligned memory.
    ///
    /// Where another `malloc` serves, a sanitizer's say, a count would be 0 and a lie.
    static let isWorking: Bool = {
        _ = makeObject()
        let objects = difference { _ = makeObject() }
        let alignedBlocks = difference {
            unsafe UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64).deallocate()
        }
        return objects == 1 && alignedBlocks == 1
    }()

    /// How often `body` allocates, or `nil` where that cannot be counted. For one thread at a time.
    static func count<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Int? {
        guard isWorking else {
            try body()
            return nil
        }
        return try difference(body)
    }

    private static func difference<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Int {
        let before = countedAllocations()
        try body()
        return countedAllocations() - before
    }

    private final class Object {}

    /// Returns what it makes, so that it cannot be on the stack.
    @inline(never)
    private static func makeObject() -> AnyObject { Object() }
}

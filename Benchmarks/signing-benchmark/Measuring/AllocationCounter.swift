/// A counter of heap allocations through malloc, calloc, realloc, aligned_alloc and posix_memalign, including Swift's.
enum AllocationCounter {
    /// Whether the counter works: it must count one allocation for a known object and one for aligned memory.
    ///
    /// With another `malloc`, such as a sanitizer's, the count would be 0.
    static let isWorking: Bool = {
        _ = makeObject()
        let objects = countAllocations { _ = makeObject() }
        let alignedBlocks = countAllocations {
            unsafe UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64).deallocate()
        }
        return objects == 1 && alignedBlocks == 1
    }()

    /// Returns the number of allocations in `body`, or `nil` if the counter does not work. Not thread-safe.
    static func count<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Int? {
        guard isWorking else {
            try body()
            return nil
        }
        return try countAllocations(body)
    }

    private final class Object {}

    /// Returns the object, so that it cannot be allocated on the stack.
    @inline(never)
    private static func makeObject() -> AnyObject { Object() }
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Memory pages between two inaccessible pages: an access out of bounds ends the process.
@safe final class GuardedMemory {
    /// A failure to map the memory.
    struct MappingError: Error {}

    private let start: UnsafeMutableRawPointer
    private let pageSize: Int
    private let pageCount: Int

    init(pageCount: Int) throws {
        pageSize = Int(getpagesize())
        self.pageCount = pageCount
        let length = (pageCount + 2) * pageSize
        let flags = MAP_PRIVATE | mapAnonymous
        guard let memory = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, flags, -1, 0), unsafe memory != MAP_FAILED
        else {
            throw MappingError()
        }
        unsafe start = unsafe memory
        unsafe mprotect(memory, pageSize, PROT_NONE)
        unsafe mprotect(memory + (pageCount + 1) * pageSize, pageSize, PROT_NONE)
        for (index, byte) in patternBytes(pageCount * pageSize).enumerated() {
            unsafe memory.storeBytes(of: byte, toByteOffset: pageSize + index, as: UInt8.self)
        }
    }

    deinit {
        unsafe munmap(start, (pageCount + 2) * pageSize)
    }

    /// Returns the first bytes, directly after an inaccessible page.
    func prefix(_ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start + pageSize, count: count)
    }

    /// Returns the last bytes, directly before an inaccessible page.
    func suffix(_ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start + (pageCount + 1) * pageSize - count, count: count)
    }
}

#if canImport(Darwin)
private let mapAnonymous = MAP_ANON
#else
private let mapAnonymous = MAP_ANONYMOUS
#endif

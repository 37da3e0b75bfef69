// The linker gives these functions the names of the C library's own (`--defsym`, see the manifest), and lets shared
// libraries see them, so that they serve the whole process; hence they are public. They run before anything else does, and
// allocate nothing themselves.

#if os(Linux) && canImport(Glibc)
import Glibc

/// How often memory was asked for. Not exact while several threads allocate, and nobody looks at it then.
private nonisolated(unsafe) var allocationCount = 0

func countedAllocations() -> Int { unsafe allocationCount }

@_silgen_name("__libc_malloc") private func systemMalloc(_ size: Int) -> UnsafeMutableRawPointer?
@_silgen_name("__libc_calloc") private func systemCalloc(_ count: Int, _ size: Int) -> UnsafeMutableRawPointer?
@_silgen_name("__libc_realloc")
private func systemRealloc(_ memory: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer?
@_silgen_name("__libc_memalign")
private func systemMemalign(_ alignment: Int, _ size: Int) -> UnsafeMutableRawPointer?

/// `malloc`, counted.
@_cdecl("counting_malloc")
public func countingMalloc(_ size: Int) -> UnsafeMutableRawPointer? {
    unsafe allocationCount &+= 1
    return unsafe systemMalloc(size)
}

/// `calloc`, counted.
@_cdecl("counting_calloc")
public func countingCalloc(_ count: Int, _ size: Int) -> UnsafeMutableRawPointer? {
    unsafe allocationCount &+= 1
    return unsafe systemCalloc(count, size)
}

/// `realloc`, counted.
@_cdecl("counting_realloc")
public func countingRealloc(_ memory: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
    unsafe allocationCount &+= 1
    return unsafe systemRealloc(memory, size)
}

/// `aligned_alloc`, counted.
@_cdecl("counting_aligned_alloc")
public func countingAlignedAlloc(_ alignment: Int, _ size: Int) -> UnsafeMutableRawPointer? {
    unsafe allocationCount &+= 1
    return unsafe systemMemalign(alignment, size)
}

/// `posix_memalign`, counted.
@_cdecl("counting_posix_memalign")
public func countingPOSIXMemalign(
    _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ alignment: Int, _ size: Int
) -> CInt {
    unsafe allocationCount &+= 1
    guard alignment >= 8, alignment & (alignment &- 1) == 0 else { return EINVAL }
    guard let memory = unsafe systemMemalign(alignment, size) else { return ENOMEM }
    unsafe result.pointee = unsafe memory
    return 0
}
#else
func countedAllocations() -> Int { 0 }
#endif

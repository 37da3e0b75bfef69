// Replacements for the C library's allocation functions. The linker gives them the original names (`--defsym`, see
// Package.swift) and exports them, so that they apply to the whole process; this requires public functions. They are
// called before any other code of the program runs, and allocate nothing.

#if os(Linux) && canImport(Glibc)
import Glibc

/// The number of allocations while ``countsAllocations`` is set.
private nonisolated(unsafe) var allocationCount = 0

/// Whether to count allocations. Set only while one thread runs, because threads that write the same counter slow each other.
private nonisolated(unsafe) var countsAllocations = false

/// Returns the number of allocations in `body`.
func countAllocations<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Int {
    let before = unsafe allocationCount
    unsafe countsAllocations = true
    defer { unsafe countsAllocations = false }
    try body()
    return unsafe allocationCount &- before
}

@inline(__always)
private func countAllocation() {
    if unsafe countsAllocations { unsafe allocationCount &+= 1 }
}

@_silgen_name("__libc_malloc") private func systemMalloc(_ size: Int) -> UnsafeMutableRawPointer?
@_silgen_name("__libc_calloc") private func systemCalloc(_ count: Int, _ size: Int) -> UnsafeMutableRawPointer?
@_silgen_name("__libc_realloc")
private func systemRealloc(_ memory: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer?
@_silgen_name("__libc_memalign")
private func systemMemalign(_ alignment: Int, _ size: Int) -> UnsafeMutableRawPointer?

/// Counts a call and forwards it to `malloc`.
@_cdecl("counting_malloc")
public func countingMalloc(_ size: Int) -> UnsafeMutableRawPointer? {
    countAllocation()
    return unsafe systemMalloc(size)
}

/// Counts a call and forwards it to `calloc`.
@_cdecl("counting_calloc")
public func countingCalloc(_ count: Int, _ size: Int) -> UnsafeMutableRawPointer? {
    countAllocation()
    return unsafe systemCalloc(count, size)
}

/// Counts a call and forwards it to `realloc`.
@_cdecl("counting_realloc")
public func countingRealloc(_ memory: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
    countAllocation()
    return unsafe systemRealloc(memory, size)
}

/// Implements `aligned_alloc` and counts the call.
@_cdecl("counting_aligned_alloc")
public func countingAlignedAlloc(_ alignment: Int, _ size: Int) -> UnsafeMutableRawPointer? {
    countAllocation()
    return unsafe systemMemalign(alignment, size)
}

/// Implements `posix_memalign` and counts the call.
@_cdecl("counting_posix_memalign")
public func countingPOSIXMemalign(
    _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ alignment: Int, _ size: Int
) -> CInt {
    countAllocation()
    guard alignment >= 8, alignment & (alignment &- 1) == 0 else { return EINVAL }
    guard let memory = unsafe systemMemalign(alignment, size) else { return ENOMEM }
    unsafe result.pointee = unsafe memory
    return 0
}
#else
func countAllocations<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Int {
    try body()
    return 0
}
#endif

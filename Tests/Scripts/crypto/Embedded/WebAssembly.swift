// The functions of the C library that Embedded Swift and the vectors' program call, on top of WASI.

import Builtin

@_extern(c) @_extern(wasm, module: "wasi_snapshot_preview1", name: "fd_read")
private func readParts(_ file: Int32, _ parts: UnsafeRawPointer, _ count: Int, _ result: UnsafeMutableRawPointer)
    -> Int32

@_extern(c) @_extern(wasm, module: "wasi_snapshot_preview1", name: "fd_write")
private func writeParts(_ file: Int32, _ parts: UnsafeRawPointer, _ count: Int, _ result: UnsafeMutableRawPointer)
    -> Int32

@_extern(c) @_extern(wasm, module: "wasi_snapshot_preview1", name: "proc_exit")
private func exitProcess(_ status: Int32)

@_extern(c) @_extern(wasm, module: "wasi_snapshot_preview1", name: "random_get")
private func random(_ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int32

@_extern(c) private func __main_argc_argv(_ count: Int32, _ arguments: UnsafeRawPointer?) -> Int32

@c(_start) func start() { exitProcess(__main_argc_argv(0, nil)) }

@c func exit(_ status: Int32) { exitProcess(status) }

@c func read(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    var part = unsafe (bytes, count)
    var result = 0
    return unsafe readParts(file, &part, 1, &result) == 0 ? result : -1
}

@c func putchar(_ character: Int32) -> Int32 {
    var byte = UInt8(truncatingIfNeeded: character)
    var result = 0
    let error = unsafe withUnsafeMutablePointer(to: &byte) { byte in
        var part = unsafe (byte, 1)
        return unsafe writeParts(1, &part, 1, &result)
    }
    return error == 0 ? character : -1
}

@c(arc4random_buf) func fillRandomly(_ bytes: UnsafeMutableRawPointer, _ count: Int) {
    if unsafe random(bytes, count) != 0 { exitProcess(1) }
}

nonisolated(unsafe) private var wipeCount = 0

@c(wipe_count) func currentWipeCount() -> Int { unsafe wipeCount }

@c(explicit_bzero) func wipe(_ bytes: UnsafeMutableRawPointer, _ count: Int) {
    unsafe wipeCount += 1
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: count)
}

@c(memcmp) func compare(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer, _ count: Int) -> Int32 {
    for offset in 0..<count {
        let left = unsafe first.load(fromByteOffset: offset, as: UInt8.self)
        let right = unsafe second.load(fromByteOffset: offset, as: UInt8.self)
        if left != right { return left < right ? -1 : 1 }
    }
    return 0
}

// MARK: Memory

/// The free memory, in bytes from the start of the memory. Allocated memory is never reused.
private enum Heap {
    nonisolated(unsafe) static var start = 0
    nonisolated(unsafe) static var end = 0
}

@c(posix_memalign) func allocate(
    _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ alignment: Int, _ count: Int
) -> Int32 {
    let outOfMemory: Int32 = 12
    unsafe Heap.start = (Heap.start + alignment - 1) & -alignment
    if unsafe Heap.end - Heap.start <= count {
        let pageByteCount = 65536
        let pages = Int32((count + alignment + pageByteCount - 1) / pageByteCount)
        let first = Int(Int32(Builtin.int_wasm_memory_grow_Int32(Builtin.zeroInitializer(), pages._value)))
        if first < 0 { return outOfMemory }
        // The first page can follow the end.
        if unsafe first * pageByteCount != Heap.end { unsafe Heap.start = first * pageByteCount }
        unsafe Heap.end = (first + Int(pages)) * pageByteCount
    }
    unsafe result.pointee = UnsafeMutableRawPointer(bitPattern: Heap.start)
    unsafe Heap.start += count
    return 0
}

/// `free`, which Swift reserves; the linker renames it.
@c(__wrap_free) func release(_ block: UnsafeMutableRawPointer?) {}

// Embedded Swift has no module of the C library.

@_extern(c) private func read(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int
@_extern(c) private func exit(_ status: Int32)

func readStandardInput() -> [UInt8] {
    var all: [UInt8] = []
    unsafe withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 1) { part in
        while true {
            let count = unsafe read(0, part.baseAddress.unsafelyUnwrapped, part.count)
            if count <= 0 { return }
            unsafe all.append(contentsOf: part[..<count])
        }
    }
    return all
}

/// Prints an error and its location, and exits with status 1.
func fail(_ reason: StaticString, _ place: some Sequence<UInt8>) -> Never {
    print(reason, terminator: ": ")
    for byte in place { print(Character(UnicodeScalar(byte)), terminator: "") }
    print("")
    exit(1)
    fatalError()
}

#if arch(wasm32)
/// Returns the number of wipes so far.
@_extern(c, "wipe_count") func wipeCount() -> Int
#endif

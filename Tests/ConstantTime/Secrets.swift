/// Secret values that memcheck tracks.
struct Secrets {
    let memcheck: Memcheck

    /// Calls `body` with a copy of bytes that memcheck treats as secret.
    ///
    /// The copy is in heap memory whose address escapes, so that the compiler cannot assume its content.
    func withSecret<Result>(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 16)
        defer { unsafe memory.deallocate() }
        unsafe memory.copyBytes(from: bytes)
        let secret = unsafe UnsafeRawBufferPointer(rebasing: memory[..<bytes.count])
        unsafe memcheck.makeUndefined(secret)
        return unsafe body(secret)
    }

    /// Marks a value as public, so that the program can branch on it.
    @inline(never)
    func declassified<Value>(_ value: Value) -> Value {
        var value = value
        unsafe withUnsafeBytes(of: &value) { unsafe memcheck.makeDefined($0) }
        return value
    }

    /// Marks a value as public. Fails if a byte does not depend on a secret, because memcheck then did not track the
    /// secrets.
    @inline(never)
    func declassified<Value>(_ value: Value, context: String) -> Value {
        var value = value
        unsafe withUnsafeBytes(of: &value) { bytes in
            let count = unsafe memcheck.undefinedByteCount(bytes)
            if count != bytes.count { fail("\(context): \(count) of \(bytes.count) bytes depend on a secret") }
        }
        return declassified(value)
    }
}

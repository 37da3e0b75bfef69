/// Values that memcheck is to follow.
struct Secrets {
    let memcheck: Memcheck

    /// Calls `body` with bytes of a pattern that memcheck takes for secret.
    ///
    /// They are memory of the heap that others have a hand on, so that no compiler knows what is in them.
    func withSecret<Result>(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 16)
        defer { unsafe memory.deallocate() }
        unsafe memory.copyBytes(from: bytes)
        let secret = unsafe UnsafeRawBufferPointer(rebasing: memory[..<bytes.count])
        unsafe memcheck.makeUndefined(secret)
        return unsafe body(secret)
    }

    /// Makes a value public, so that the program may look at it.
    @inline(never)
    func declassified<Value>(_ value: Value) -> Value {
        var value = value
        unsafe withUnsafeBytes(of: &value) { unsafe memcheck.makeDefined($0) }
        return value
    }

    /// Makes a value public that is to depend on a secret in every byte, and fails if it does not: then memcheck was shown
    /// nothing.
    @inline(never)
    func declassified<Value>(_ value: Value, cameOfSecretsIn what: String) -> Value {
        var value = value
        unsafe withUnsafeBytes(of: &value) { bytes in
            let count = unsafe memcheck.undefinedByteCount(bytes)
            if count != bytes.count { fail("\(what): \(count) of \(bytes.count) bytes depend on a secret") }
        }
        return declassified(value)
    }
}

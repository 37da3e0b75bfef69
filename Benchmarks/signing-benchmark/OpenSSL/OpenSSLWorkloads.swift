/// OpenSSL's counterparts of the workloads, using its fastest function for each.
enum OpenSSLWorkloads {
    /// Returns OpenSSL's counterpart of a case, or `nil` if it has none.
    static func counterpart(of name: String, _ library: LibCrypto) -> Workload? {
        switch name {
        case "sha256/0": hash(name, byteCount: 0, library)
        case "sha256/64": hash(name, byteCount: 64, library)
        case "sha256/1024": hash(name, byteCount: 1024, library)
        case "sha256/1048576", "sha256-portable/1048576": hash(name, byteCount: 1_048_576, library)
        case "sha256-batch/1024", "sha256-batch-array/1024": hash(name, byteCount: 1024, library)
        case "hmac-one-shot/71": code(name, library)
        case "hmac-prepared/71": codes(name, messageCount: 1, answer: KnownAnswers.code, library)
        case "hmac-batch/71", "hmac-batch-array/71":
            codes(name, messageCount: Inputs.batchCount, answer: KnownAnswers.batchOfCodes, library)
        default: nil
        }
    }

    /// Returns a workload of `SHA256_Init()`, `SHA256_Update()` and `SHA256_Final()`. They are faster than `SHA256()`,
    /// which looks up the algorithm on each call.
    private static func hash(_ name: String, byteCount: Int, _ library: LibCrypto) -> Workload {
        let message = Inputs.message(byteCount: byteCount)
        let answer = KnownAnswers.digest(byteCount: byteCount)
        return workload(name, "SHA256_CTX", byteCount: byteCount, answer: answer) { count in
            unsafe message.withUnsafeBytes { message in
                var digest = LibCrypto.Digest()
                var context = LibCrypto.Context()
                return total(count) {
                    library.begin(&context)
                    unsafe library.update(&context, message)
                    library.finish(&context, into: &digest)
                    return checksum(digest)
                }
            }
        }
    }

    /// Returns a workload of `HMAC()`, which takes the key on each call.
    private static func code(_ name: String, _ library: LibCrypto) -> Workload {
        let (message, secret) = (Inputs.stringToSign(), Array(Inputs.secret.utf8))
        return workload(name, "HMAC", byteCount: message.count, answer: KnownAnswers.code) { count in
            unsafe message.withUnsafeBytes { message in
                unsafe secret.withUnsafeBytes { secret in
                    var code = LibCrypto.Digest()
                    return total(count) {
                        unsafe library.authenticationCode(message, key: secret, into: &code)
                        return checksum(code)
                    }
                }
            }
        }
    }

    /// Returns a workload that keys low-level contexts once and copies them: the fastest way to use one key with OpenSSL.
    private static func codes(
        _ name: String, messageCount: Int, answer: UInt64, _ library: LibCrypto
    ) -> Workload {
        let messages = (0..<messageCount).map { Inputs.stringToSign(expiryOffset: $0) }
        let (inner, outer) = (keyed(0x36, library), keyed(0x5c, library))
        return workload(name, "SHA256_CTX", byteCount: 71, lapLength: messageCount, answer: answer) { count in
            var (code, context) = (LibCrypto.Digest(), inner)
            return total(count) {
                var sum: UInt64 = 0
                for message in messages {
                    context = inner
                    unsafe message.withUnsafeBytes { unsafe library.update(&context, $0) }
                    library.finish(&context, into: &code)
                    context = outer
                    unsafe withUnsafeBytes(of: &code) { unsafe library.update(&context, $0) }
                    library.finish(&context, into: &code)
                    sum &+= checksum(code)
                }
                return sum
            }
        }
    }

    /// Returns a context that has absorbed the key's block.
    private static func keyed(_ pad: UInt8, _ library: LibCrypto) -> LibCrypto.Context {
        let secret = Array(Inputs.secret.utf8)
        let block = secret.map { $0 ^ pad } + [UInt8](repeating: pad, count: 64 - secret.count)
        var context = LibCrypto.Context()
        library.begin(&context)
        unsafe block.withUnsafeBytes { unsafe library.update(&context, $0) }
        return context
    }

    private static func workload(
        _ name: String, _ function: String, byteCount: Int, lapLength: Int = 1, answer: UInt64,
        run: @escaping (Int) -> UInt64
    ) -> Workload {
        Workload(
            name, implementation: "OpenSSL \(function)", kernel: nil, byteCount: byteCount, lapLength: lapLength,
            answer: answer, run: run)
    }

    @inline(__always)
    private static func checksum(_ digest: LibCrypto.Digest) -> UInt64 {
        unsafe withUnsafeBytes(of: digest) { unsafe Checksum.of($0) }
    }
}

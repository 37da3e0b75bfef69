import HubCrypto

/// Workloads for authentication codes: `hmac-…`.
enum CodeWorkloads {
    /// Returns a workload that passes the key on each call.
    static func oneShot() -> Workload {
        let (message, secret) = (Inputs.stringToSign(), Array(Inputs.secret.utf8))
        return workload("hmac-one-shot/71", SHA256.activeKernel.rawValue) { count in
            total(count) { HMAC.authenticationCode(for: message, using: secret).checksum }
        }
    }

    /// Returns a workload that uses a prepared key.
    static func prepared(_ kernels: Kernels, _ key: HMAC.Key) -> Workload {
        let message = Inputs.stringToSign()
        return workload("hmac-prepared/71", kernels.single) { count in
            total(count) { key.authenticationCode(for: message).checksum }
        }
    }

    /// Returns a workload that verifies a received code, as a server does.
    static func verify(_ kernels: Kernels) -> Workload {
        let (message, key) = (Inputs.stringToSign(), key(kernels))
        let code = Array(key.authenticationCode(for: message))
        return Workload(
            "hmac-verify/71", implementation: "HubCrypto", kernel: kernels.single, byteCount: 71, answer: 1
        ) { count in
            total(count) { key.isValidAuthenticationCode(code, authenticating: message) ? 1 : 0 }
        }
    }

    /// Returns a workload with a batch of one message, which should cost as much as a single message.
    static func batchOfOne(_ kernels: Kernels) -> Workload {
        let (messages, key) = ([Inputs.stringToSign()], key(kernels))
        return workload("hmac-batch-of-one/71", kernels.single) { count in
            unsafe withUnsafeTemporaryAllocation(of: HMAC.AuthenticationCode.self, capacity: 1) { codes in
                total(count) {
                    unsafe key.authenticationCodes(for: messages, into: codes)
                    return unsafe Checksum.ofEach(codes)
                }
            }
        }
    }

    /// Returns a workload that writes the codes of a batch to a buffer.
    static func batch(_ kernels: Kernels) -> Workload {
        let (messages, key) = (messages(), key(kernels))
        return batchWorkload("hmac-batch/71", kernels.batch) { count in
            unsafe withUnsafeTemporaryAllocation(of: HMAC.AuthenticationCode.self, capacity: messages.count) { codes in
                total(count) {
                    unsafe key.authenticationCodes(for: messages, into: codes)
                    return unsafe Checksum.ofEach(codes)
                }
            }
        }
    }

    /// Returns a workload that returns the codes of a batch in an array.
    static func batchAsArray() -> Workload {
        let (messages, key) = (messages(), key(.chosen))
        return batchWorkload("hmac-batch-array/71", SHA256.activeBatchKernel.rawValue) { count in
            total(count) { Checksum.ofEach(key.authenticationCodes(for: messages)) }
        }
    }

    /// Returns the prepared signing key.
    static func key(_ kernels: Kernels) -> HMAC.Key {
        let secret = Array(Inputs.secret.utf8)
        return switch kernels {
        case .chosen: HMAC.Key(data: secret)
        case .forced(_, let choice):
            unsafe secret.withUnsafeBytes { unsafe HMAC.Key(bufferPointer: $0, kernels: choice) }
        }
    }

    private static func workload(_ name: String, _ kernel: String, run: @escaping (Int) -> UInt64) -> Workload {
        Workload(
            name, implementation: "HubCrypto", kernel: kernel, byteCount: 71, answer: KnownAnswers.code, run: run)
    }

    private static func batchWorkload(_ name: String, _ kernel: String, run: @escaping (Int) -> UInt64) -> Workload {
        Workload(
            name, implementation: "HubCrypto", kernel: kernel, byteCount: 71, lapLength: Inputs.batchCount,
            answer: KnownAnswers.batchOfCodes, run: run)
    }

    private static func messages() -> [[UInt8]] {
        (0..<Inputs.batchCount).map { Inputs.stringToSign(expiryOffset: $0) }
    }
}

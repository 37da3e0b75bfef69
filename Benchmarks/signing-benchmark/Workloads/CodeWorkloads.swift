import HubCrypto

/// Authentication codes: `hmac-…`.
enum CodeWorkloads {
    /// The key given each time.
    static func oneShot() -> Workload {
        let (message, secret) = (Inputs.stringToSign(), Array(Inputs.secret.utf8))
        return workload("hmac-one-shot/71", SHA256.activeKernel.rawValue) { count in
            total(count) { HMAC.authenticationCode(for: message, using: secret).checksum }
        }
    }

    /// The key absorbed beforehand.
    static func prepared(_ kernels: Kernels) -> Workload {
        let (message, key) = (Inputs.stringToSign(), key(kernels))
        return workload("hmac-prepared/71", kernels.single) { count in
            total(count) { key.authenticationCode(for: message).checksum }
        }
    }

    /// A code checked, as a server does with one that it is sent.
    static func verify(_ kernels: Kernels) -> Workload {
        let (message, key) = (Inputs.stringToSign(), key(kernels))
        let code = Array(key.authenticationCode(for: message))
        return Workload(
            "hmac-verify/71", implementation: "HubCrypto", kernel: kernels.single, byteCount: 71, answer: 1
        ) { count in
            total(count) { key.isValidAuthenticationCode(code, authenticating: message) ? 1 : 0 }
        }
    }

    /// A batch of one message, which is to cost what the message costs by itself.
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

    /// Many messages under one key, their codes written where the caller wants them.
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

    /// Many messages under one key, their codes in an array.
    static func batchAsArray() -> Workload {
        let (messages, key) = (messages(), key(.chosen))
        return batchWorkload("hmac-batch-array/71", SHA256.activeBatchKernel.rawValue) { count in
            total(count) { Checksum.ofEach(key.authenticationCodes(for: messages)) }
        }
    }

    /// The key that signs, prepared.
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
        (0..<Inputs.batchCount).map { Inputs.stringToSign(later: $0) }
    }
}

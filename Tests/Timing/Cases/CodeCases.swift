import HubCrypto

/// The computation and the comparison of authentication codes.
enum CodeCases {
    static var all: [Case] {
        let expected = key().authenticationCode(for: message)
        let comparison = unsafe receivedCode("comparison", expected) { received in
            unsafe expected == received.load(as: HMAC.AuthenticationCode.self)
        }
        return [comparison] + SHA256.Kernel.single.map { verification(kernel: $0.name, key($0.choice)) } + [secret]
    }

    /// Returns the case of a decision on a received code: wrong only in its last bit, or random.
    static func receivedCode(
        _ name: String, isPlanted: Bool = false, _ expected: HMAC.AuthenticationCode,
        isValid: @escaping (UnsafeRawBufferPointer) -> Bool
    ) -> Case {
        Case(name, isPlanted: isPlanted) {
            var received = Array(expected)
            received[SHA256.byteCount - 1] ^= 1
            return unsafe ByteSubject(fixed: received) { received in
                unsafe !isValid(UnsafeRawBufferPointer(start: received, count: SHA256.byteCount))
            }
        }
    }

    /// Returns a new key.
    static func key(_ kernels: KernelChoice = .best) -> HMAC.Key {
        let secret = (0..<44).map { _ in UInt8.random(in: .min ... .max) }
        return unsafe secret.withUnsafeBytes { unsafe HMAC.Key(bufferPointer: $0, kernels: kernels) }
    }

    /// A message with the length of the text that a token's signature covers.
    static let message = ContiguousArray(
        "https%3A%2F%2Fcontoso-prod.servicebus.windows.net%2Fpush-hub\n1790000000".utf8)

    private static func verification(kernel: String, _ key: HMAC.Key) -> Case {
        unsafe receivedCode("hmac-verify/\(kernel)", key.authenticationCode(for: message)) { received in
            unsafe key.isValidAuthenticationCode(received.bytes, authenticating: message.span.bytes)
        }
    }

    /// A code with a secret that is used once: all bytes of the secret are zero, or random.
    private static var secret: Case {
        Case("hmac-secret/\(SHA256.activeKernel)") {
            unsafe ByteSubject(fixed: [UInt8](repeating: 0, count: 48)) { input in
                let secret = unsafe UnsafeRawBufferPointer(start: input, count: 48)
                let code = unsafe HMAC.authenticationCode(for: message.span.bytes, using: secret.bytes)
                unsafe input.storeBytes(of: code, as: HMAC.AuthenticationCode.self)
                return true
            }
        }
    }
}

import HubCrypto

/// What makes a key's authentication codes.
enum Authenticator: Sendable {
    case key(HMAC.Key)
    /// The caller's own HMAC.
    case closure(@Sendable ([UInt8]) -> [UInt8])

    /// The code of a message.
    func code(of message: [UInt8]) -> HMAC.AuthenticationCode {
        switch self {
        case .key(let key): key.authenticationCode(for: message)
        case .closure(let closure): Self.code(closure(message))
        }
    }

    /// The code of a message in three parts.
    func code(of first: Span<UInt8>, _ second: Span<UInt8>, _ third: Span<UInt8>) -> HMAC.AuthenticationCode {
        guard case .key(let key) = self else {
            return code(of: Array(copying: first) + Array(copying: second) + Array(copying: third))
        }
        return key.authenticationCode(joining: first, second, third)
    }

    /// The codes of many messages, on the wide kernels where the key is at hand.
    func codes(of messages: JoinedMessages) -> [HMAC.AuthenticationCode] {
        switch self {
        case .key(let key): key.authenticationCodes(for: messages)
        case .closure(let closure): messages.map { Self.code(closure(Array(copying: $0))) }
        }
    }

    private static func code(_ bytes: [UInt8]) -> HMAC.AuthenticationCode {
        guard let code = HMAC.AuthenticationCode(bytes) else {
            preconditionFailure("an HMAC-SHA256 has 32 bytes, and the closure returned \(bytes.count)")
        }
        return code
    }
}

extension [UInt8] {
    /// The bytes of a span.
    init(copying bytes: Span<UInt8>) {
        self = bytes.indices.map { bytes[$0] }
    }
}

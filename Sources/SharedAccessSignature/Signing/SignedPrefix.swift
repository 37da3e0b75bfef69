import HubCrypto

/// What a signer's strings to sign begin with, a resource and a line feed, absorbed as far as it goes.
enum SignedPrefix: Sendable {
    case absorbed(HMAC.Prefix)
    /// For a key that is kept elsewhere.
    case closure(Authenticator, [UInt8])

    init(_ authenticator: Authenticator, _ resourceText: [UInt8]) {
        let prefix = resourceText + SASToken.separator
        switch authenticator {
        case .key(let key): self = .absorbed(HMAC.Prefix(key: key, prefix: prefix.span))
        case .closure: self = .closure(authenticator, prefix)
        }
    }

    /// The code of the prefix and an expiry's digits.
    func code(appending digits: UnsafeBufferPointer<UInt8>) -> HMAC.AuthenticationCode {
        switch self {
        case .absorbed(let prefix): unsafe prefix.authenticationCode(appending: UnsafeRawBufferPointer(digits))
        case .closure(let authenticator, let prefix): unsafe authenticator.code(of: prefix + Array(digits))
        }
    }
}

/// The same for a batch, in one row.
enum SignedPrefixes: Sendable {
    case absorbed([HMAC.Prefix])
    /// For a key that is kept elsewhere.
    case closure([SignedPrefix])

    init(_ authenticator: Authenticator, _ resourceTexts: [[UInt8]]) {
        switch authenticator {
        case .key(let key):
            self = .absorbed(resourceTexts.map { HMAC.Prefix(key: key, prefix: ($0 + SASToken.separator).span) })
        case .closure:
            self = .closure(resourceTexts.map { SignedPrefix(authenticator, $0) })
        }
    }

    /// Calls `body` with each prefix's position, and the code of it and an expiry's digits.
    func forEachCode(
        appending digits: UnsafeBufferPointer<UInt8>, _ body: (Int, HMAC.AuthenticationCode) -> Void
    ) {
        switch self {
        case .absorbed(let prefixes):
            unsafe HMAC.Prefix.forEachAuthenticationCode(
                of: prefixes, appending: UnsafeRawBufferPointer(digits), body)
        case .closure(let prefixes):
            for (index, prefix) in prefixes.enumerated() { unsafe body(index, prefix.code(appending: digits)) }
        }
    }
}

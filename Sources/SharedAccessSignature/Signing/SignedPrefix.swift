import HubCrypto

/// What a signer's strings to sign begin with, absorbed as far as it goes.
enum SignedPrefix: Sendable {
    case absorbed(HMAC.Prefix)
    /// For a key that is kept elsewhere.
    case closure(Authenticator, [UInt8])

    init(_ authenticator: Authenticator, _ prefix: [UInt8]) {
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

import HubCrypto
import HubText

/// Signs tokens for many resources at once with one key.
///
/// ```swift
/// let signer = SASBatchSigner(key: key, resources: urls)
/// let tokens = signer.tokens(validFor: .seconds(600))
/// ```
///
/// What ``SASSigner`` is for one resource, this is for as many as there are: the signatures are made side by side, as many as the
/// processor makes at once, and everything that does not change is done beforehand. Keep it, if the resources stay the same.
public struct SASBatchSigner: Sendable {
    private let key: SharedAccessKey
    private let writers: [TokenWriter]
    /// The absorbed beginnings of the strings to sign; empty for a key that is kept elsewhere.
    private let prefixes: [HMAC.Prefix]

    /// Signs for resources in the form, and the spelling, of an encoding.
    ///
    /// - Parameters:
    ///   - key: the policy's key.
    ///   - resources: the resources' URLs, not percent-encoded as a whole.
    ///   - encoding: which form of the URLs is signed, and how it is spelled.
    public init(key: SharedAccessKey, resources: some Sequence<String>, encoding: SASEncoding = .standard) {
        let resources = resources.map(encoding.resourceText)
        let keyName = encoding.keyNameText(key.name)
        let signature = SignatureEncoding(encoding.signature)
        self.key = key
        writers = resources.map { TokenWriter(resource: $0, keyName: keyName, signature: signature) }
        prefixes = resources.compactMap { key.authenticator.prefix(StringToSign.prefix(resource: $0)) }
    }

    /// A token for each resource, in their order, all of which expire at a time in seconds since 1970 UTC. Besides the tokens'
    /// texts, one array is allocated.
    ///
    /// - Parameter expiry: seconds since 1970 UTC, not negative.
    public func tokens(expiringAt expiry: Int64) -> [SASToken] {
        precondition(expiry >= 0, "a token's expiry is a time since 1970")
        var tokens: [SASToken] = []
        tokens.reserveCapacity(writers.count)
        unsafe DecimalDigits.of(expiry) { digits in
            if prefixes.isEmpty {
                for writer in writers {
                    let code = key.authenticator.code(of: StringToSign(resource: writer.resource, expiry: expiry))
                    unsafe tokens.append(writer.token(code: code, expiry: expiry, digits: digits))
                }
            }
            unsafe HMAC.Prefix.forEachAuthenticationCode(
                of: prefixes, appending: UnsafeRawBufferPointer(digits)
            ) { index, code in
                unsafe tokens.append(writers[index].token(code: code, expiry: expiry, digits: digits))
            }
        }
        return tokens
    }

    /// A token for each resource, in their order, all of which expire after a lifetime.
    ///
    /// - Parameters:
    ///   - lifetime: how long the tokens are valid; see ``SASSigner/token(validFor:now:)``.
    ///   - now: seconds since 1970 UTC; the system's clock if `nil`.
    public func tokens(validFor lifetime: Duration, now: Int64? = nil) -> [SASToken] {
        tokens(expiringAt: SystemClock.expiry(after: lifetime, now: now))
    }
}

extension SASBatchSigner: CustomStringConvertible, CustomReflectable {
    /// For how many resources it signs, and by whom; not the key.
    public var description: String { "SASBatchSigner(\(writers.count) resources, key: \(key))" }

    /// For which resources it signs, and by whom; not the key.
    public var customMirror: Mirror { Mirror(self, children: ["sr": writers.map(\.resource), "key": key]) }
}

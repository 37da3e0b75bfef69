import HubCrypto
import HubText

/// A signer of tokens for many resources with one key.
///
/// ```swift
/// let signer = SASBatchSigner(key: key, resources: urls)
/// for token in signer.tokens(validFor: .seconds(600)) { print(token.unverifiedClaims) }
/// ```
///
/// Like ``SASSigner``, but it computes several signatures in parallel on processors that support it. Keep the signer and reuse
/// it for the same resources: its initializer does all work that tokens have in common.
public struct SASBatchSigner: Sendable {
    private let key: SharedAccessKey
    private let writers: [TokenWriter]
    /// The HMAC states after the prefixes of the strings to sign.
    private let prefixes: [HMAC.Prefix]

    /// Creates a signer for some resources.
    ///
    /// - Parameters:
    ///   - key: The policy's key.
    ///   - resources: The resources' URLs, not percent-encoded as a whole.
    ///   - encoding: The form and percent-encoding of the URLs.
    public init(key: SharedAccessKey, resources: some Sequence<String>, encoding: SASEncoding = .standard) {
        let resources = resources.map(encoding.resourceText)
        let keyName = encoding.keyNameText(key.name)
        let signature = SignatureEncoding(encoding.signature)
        self.key = key
        writers = resources.map { TokenWriter(resource: $0, keyName: keyName, signature: signature) }
        prefixes = resources.map { HMAC.Prefix(key: key.secret, prefix: StringToSign.prefix(resource: $0).span) }
    }

    /// Returns a token for each resource, in order, that expires at a given time.
    ///
    /// The only allocation is that of the result.
    ///
    /// - Parameter expiry: The expiry in seconds since 1970 UTC, not negative.
    public func tokens(expiringAt expiry: Int64) -> SASTokenBatch {
        precondition(expiry >= 0, "the expiry must not be negative")
        return unsafe DecimalDigits.of(expiry) { digits in
            unsafe SASTokenBatch(writers, expiry: expiry, digits: digits) { unsafe forEachCode(digits, $0) }
        }
    }

    /// Returns a token for each resource, in order, that expires after a lifetime.
    ///
    /// - Parameters:
    ///   - lifetime: The lifetime of the tokens; see ``SASSigner/token(validFor:now:)``.
    ///   - now: The current time in seconds since 1970 UTC; the system clock if `nil`.
    public func tokens(validFor lifetime: Duration, now: Int64? = nil) -> SASTokenBatch {
        tokens(expiringAt: SystemClock.expiry(after: lifetime, now: now))
    }

    /// Calls `body` with the index and the signature of each token, in order.
    private func forEachCode(_ digits: UnsafeBufferPointer<UInt8>, _ body: (Int, HMAC.AuthenticationCode) -> Void) {
        unsafe HMAC.Prefix.forEachAuthenticationCode(of: prefixes, appending: UnsafeRawBufferPointer(digits), body)
    }
}

extension SASBatchSigner: CustomStringConvertible, CustomReflectable {
    /// The number of resources and the policy's name, without the key.
    public var description: String { "SASBatchSigner(\(writers.count) resources, key: \(key))" }

    /// A mirror that contains the resources and the policy's name.
    public var customMirror: Mirror { Mirror(self, children: ["sr": writers.map(\.resource), "key": key]) }
}

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
    private let prefixes: SignedPrefixes
    private let templates: [SASToken.Template]

    /// Signs for resources in the form, and the spelling, of an encoding.
    ///
    /// - Parameters:
    ///   - key: the policy's key.
    ///   - resources: the resources' URLs, not percent-encoded as a whole.
    ///   - encoding: which form of the URLs is signed, and how it is spelled.
    public init(key: SharedAccessKey, resources: some Sequence<String>, encoding: SASEncoding = .standard) {
        let resourceTexts = resources.map(encoding.resourceText)
        let keyNameText = encoding.keyNameText(key.name)
        let characters = SASToken.SignatureCharacters(encoding.signature)
        self.key = key
        prefixes = SignedPrefixes(key.authenticator, resourceTexts)
        templates = resourceTexts.map {
            SASToken.Template(resourceText: $0, keyNameText: keyNameText, signatureCharacters: characters)
        }
    }

    /// A token for each resource, in their order, all of which end at a given time. Beside the tokens' texts one array is
    /// allocated.
    ///
    /// - Parameter expiry: seconds since 1970 UTC, not negative.
    public func tokens(expiringAt expiry: Int64) -> [SASToken] {
        precondition(expiry >= 0, "a token's expiry is a time since 1970")
        var tokens: [SASToken] = []
        tokens.reserveCapacity(templates.count)
        unsafe DecimalDigits.of(expiry) { digits in
            unsafe prefixes.forEachCode(appending: digits) { index, code in
                unsafe tokens.append(SASToken(templates[index], code: code, expiry: expiry, digits: digits))
            }
        }
        return tokens
    }

    /// A token for each resource, in their order, all of which end after a given time.
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
    public var description: String { "SASBatchSigner(\(templates.count) resources, key: \(key))" }

    /// For which resources it signs, and by whom; not the key.
    public var customMirror: Mirror { Mirror(self, children: ["sr": templates.map(\.resourceText), "key": key]) }
}

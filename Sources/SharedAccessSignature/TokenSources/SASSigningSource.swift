import HubLock

/// A token source that signs one token per resource and reuses it until shortly before its expiry.
///
/// With a primary and a secondary key, you can regenerate the service's keys while programs run: after the service rejects a
/// signature, the source switches to the other key.
///
/// Copies share their cache. All methods are thread-safe. The cache holds tokens for up to 1024 resources; when it is full, it
/// is emptied.
public struct SASSigningSource: SASTokenCache {
    private let lifetime: Duration
    private let margin: Int64
    private let encoding: SASEncoding
    private let state: Locked<State>

    /// Creates a source that signs with a key.
    ///
    /// - Parameters:
    ///   - key: The policy's key.
    ///   - secondary: The key to use after the service rejects a signature of `key`.
    ///   - lifetime: The lifetime of new tokens, at least one second.
    ///   - margin: The remaining lifetime at which a token is renewed, or a quarter of the lifetime if that is less.
    ///   - encoding: The encoding of the tokens; see ``SASSigner/init(key:resource:encoding:)``.
    public init(
        key: SharedAccessKey, secondary: SharedAccessKey? = nil, lifetime: Duration = .seconds(3600),
        renewingBefore margin: Duration = .seconds(300), encoding: SASEncoding = .standard
    ) {
        precondition(lifetime >= .seconds(1), "the lifetime must be at least one second")
        precondition(margin >= .zero, "the renewal margin must not be negative")
        self.lifetime = lifetime
        self.margin = margin.components.seconds
        self.encoding = encoding
        state = Locked(State(key, secondary))
    }

    /// Returns the cached token for a resource, or signs a new one.
    ///
    /// - Parameter resource: The URL of the resource that the token must grant access to.
    public func token(for resource: String) -> SASToken {
        token(for: resource, now: SystemClock.now())
    }

    /// Returns the cached token for a resource, or signs a new one.
    ///
    /// - Parameter now: The current time in seconds since 1970 UTC.
    package func token(for resource: String, now: Int64) -> SASToken {
        let name = ExactString(text: resource)
        let (keys, cached) = state.withLock { ($0.keys, $0.cache[name]) }
        if let cached, cached.token.isFresh(at: now, margin: margin) { return cached.token.token }

        // Sign without the lock, because signing can be slow. All callers use the first result.
        let signer = cached?.signer ?? SASSigner(key: keys.key, resource: resource, encoding: encoding)
        let token = CachedToken(token: signer.token(validFor: lifetime, now: now), start: now)
        return state.withLock { state in
            guard state.keys.generation == keys.generation else { return token.token }
            if let other = state.cache[name]?.token, other.isFresh(at: now, margin: margin) { return other.token }
            state.store((signer, token), for: name)
            return token.token
        }
    }

    /// Returns a replacement for a token that the service rejected.
    ///
    /// After an invalid signature, the source switches to the other key. After an expired token, it signs again with the same
    /// key.
    ///
    /// - Parameters:
    ///   - token: The rejected token. If its key was already replaced, the current key signs the new token.
    ///   - code: The reason for the rejection.
    ///   - resource: The URL of the resource that the token must grant access to.
    /// - Returns: The new token; `nil` if the signature is invalid and there is no other key, if the new token equals
    ///   the rejected one, or if `code` is neither `invalidSignature` nor `expired`.
    public func token(
        replacing token: SASToken, rejectedFor code: SASTokenError.Code, for resource: String
    ) -> SASToken? {
        self.token(replacing: token, rejectedFor: code, for: resource, now: SystemClock.now())
    }

    /// Returns a replacement for a token that the service rejected.
    ///
    /// - Parameter now: The current time in seconds since 1970 UTC.
    package func token(
        replacing rejected: SASToken, rejectedFor code: SASTokenError.Code, for resource: String, now: Int64
    ) -> SASToken? {
        let keys = state.withLock { $0.keys }
        switch code {
        case .invalidSignature where keys.key.hasSigned(rejected):
            guard let other = keys.other, !other.hasSigned(rejected) else { return nil }
            state.withLock { state in
                // Another call may already have switched the keys.
                if state.keys.generation == keys.generation { state.replaceKeys(other, keys.key) }
            }
        case .invalidSignature:
            break
        case .expired:
            state.withLock { $0.remove(rejected, for: ExactString(text: resource)) }
        default:
            return nil
        }
        let token = token(for: resource, now: now)
        return token.headerValue == rejected.headerValue ? nil : token
    }

    package func cachedToken(for resource: String) -> SASToken? { token(for: resource) }

    /// Replaces the keys and empties the cache.
    ///
    /// - Parameters:
    ///   - key: The policy's key.
    ///   - secondary: The key to use after the service rejects a signature of `key`.
    public func replaceKeys(with key: SharedAccessKey, secondary: SharedAccessKey? = nil) {
        state.withLock { $0.replaceKeys(key, secondary) }
    }

    private struct State: Sendable {
        static let capacity = 1024

        private(set) var keys: Keys
        /// Signers and tokens of the current key, by resource.
        private(set) var cache: [ExactString: (signer: SASSigner, token: CachedToken)] = [:]

        init(_ key: SharedAccessKey, _ other: SharedAccessKey?) {
            keys = Keys(key: key, other: other, generation: 0)
        }

        mutating func replaceKeys(_ key: SharedAccessKey, _ other: SharedAccessKey?) {
            keys = Keys(key: key, other: other, generation: keys.generation + 1)
            cache = [:]
        }

        mutating func store(_ signed: (signer: SASSigner, token: CachedToken), for name: ExactString) {
            if cache[name] == nil, cache.count == Self.capacity { cache = [:] }
            cache[name] = signed
        }

        mutating func remove(_ token: SASToken, for name: ExactString) {
            if cache[name]?.token.token.headerValue == token.headerValue { cache[name] = nil }
        }
    }

    /// The current keys.
    private struct Keys: Sendable {
        let key: SharedAccessKey
        let other: SharedAccessKey?
        /// The number of replacements.
        let generation: Int
    }
}

extension SASSigningSource: CustomStringConvertible, CustomReflectable {
    /// The policy's name. It contains neither keys nor tokens.
    public var description: String { "SASSigningSource(\(state.withLock { $0.keys.key }))" }

    /// A mirror that contains only the policy's name.
    public var customMirror: Mirror { Mirror(self, children: ["key": state.withLock { $0.keys.key }]) }
}

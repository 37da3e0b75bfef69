import HubLock

/// A token source that signs one token per resource and reuses it until shortly before its expiry.
///
/// With a primary and a secondary key, you can regenerate the service's keys while programs run: after the service rejects a
/// signature, the source switches to the other key.
///
/// If the service rejects a token as expired because this machine's clock is behind, a client of NotificationHubs makes the source sign for
/// the service's time, up to a day ahead.
///
/// Copies share their cache. All methods are thread-safe. The cache holds tokens for up to 1024 resources; when it is full, it
/// is emptied.
public struct SASSigningSource: SASTokenCache, SASClockedSource {
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
        state.withLock { token(for: resource, &$0, now) }
    }

    private func token(for resource: String, _ state: inout State, _ now: Int64) -> SASToken {
        let now = now.addingSaturated(state.clockOffset)
        let name = ExactString(text: resource)
        let cached = state.cache[name]
        if let cached, cached.token.isFresh(at: now, margin: margin) { return cached.token.token }
        let signer = cached?.signer ?? SASSigner(key: state.key, resource: resource, encoding: encoding)
        let token = signer.token(validFor: lifetime, now: now)
        state.store((signer, CachedToken(token: token, start: now)), for: name)
        return token
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
        state.withLock { state in
            switch code {
            case .invalidSignature where state.key.hasSigned(rejected):
                guard let other = state.other, !other.hasSigned(rejected) else { return nil }
                state.replaceKeys(other, state.key)
            case .invalidSignature:
                // Another call has already switched the keys.
                break
            case .expired:
                state.remove(rejected, for: ExactString(text: resource))
            default:
                return nil
            }
            let token = token(for: resource, &state, now)
            return token.headerValue == rejected.headerValue ? nil : token
        }
    }

    package func setClockOffset(_ seconds: Int64) {
        state.withLock { $0.clockOffset = seconds }
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

        private(set) var key: SharedAccessKey
        private(set) var other: SharedAccessKey?
        /// The seconds to add to this machine's time.
        var clockOffset: Int64 = 0
        /// Signers and tokens of the current key, by resource.
        private(set) var cache: [ExactString: (signer: SASSigner, token: CachedToken)] = [:]

        init(_ key: SharedAccessKey, _ other: SharedAccessKey?) {
            (self.key, self.other) = (key, other)
        }

        mutating func replaceKeys(_ key: SharedAccessKey, _ other: SharedAccessKey?) {
            (self.key, self.other) = (key, other)
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
}

extension SASSigningSource: CustomStringConvertible, CustomReflectable {
    /// The policy's name. It contains neither keys nor tokens.
    public var description: String { "SASSigningSource(\(state.withLock { $0.key }))" }

    /// A mirror that contains only the policy's name.
    public var customMirror: Mirror { Mirror(self, children: ["key": state.withLock { $0.key }]) }
}

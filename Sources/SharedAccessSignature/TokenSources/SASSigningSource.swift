import HubLock

/// Signs tokens, and hands each out until shortly before it ends: one for each resource.
///
/// Two keys, a primary and a secondary one, let the service's keys be regenerated while programs run: when the service calls a
/// signature invalid, the other key takes over. Copies share what is kept, and any number of threads may ask at once. For
/// up to 1024 resources something is kept; with more, all of it is dropped now and then, and signed anew when it is asked for.
public struct SASSigningSource: SASTokenCache {
    private let lifetime: Duration
    private let margin: Int64
    private let encoding: SASEncoding
    private let state: Locked<State>

    /// Signs with a key.
    ///
    /// - Parameters:
    ///   - key: the policy's key.
    ///   - secondary: the key that takes over when the service calls this one's signatures invalid.
    ///   - lifetime: how long a new token is valid, at least a second.
    ///   - margin: how long before its end a token is replaced; a quarter of the lifetime if that is less.
    ///   - encoding: see ``SASSigner/init(key:resource:encoding:)``.
    public init(
        key: SharedAccessKey, secondary: SharedAccessKey? = nil, lifetime: Duration = .seconds(3600),
        renewingBefore margin: Duration = .seconds(300), encoding: SASEncoding = .standard
    ) {
        precondition(lifetime >= .seconds(1), "a token lives for a second at least")
        precondition(margin >= .zero, "a token cannot be renewed after its end")
        self.lifetime = lifetime
        self.margin = margin.components.seconds
        self.encoding = encoding
        state = Locked(State(key, secondary))
    }

    /// Returns a token that is valid for some time: the last one for the resource, or a new one.
    ///
    /// - Parameter resource: the URL of the resource that the token grants access to.
    public func token(for resource: String) -> SASToken {
        token(for: resource, now: SystemClock.now())
    }

    /// - Parameter now: seconds since 1970 UTC.
    package func token(for resource: String, now: Int64) -> SASToken {
        let name = ExactText(text: resource)
        let (keys, kept) = state.withLock { ($0.keys, $0.kept[name]) }
        if let kept, kept.token.serves(at: now, margin: margin) { return kept.token.token }

        // Signed without the lock, since signing can be slow. The first result is used by all.
        let signer = kept?.signer ?? SASSigner(key: keys.key, resource: resource, encoding: encoding)
        let token = KeptToken(token: signer.token(validFor: lifetime, now: now), start: now)
        return state.withLock { state in
            guard state.keys.generation == keys.generation else { return token.token }
            if let other = state.kept[name]?.token, other.serves(at: now, margin: margin) { return other.token }
            state.keep((signer, token), for: name)
            return token.token
        }
    }

    /// Returns a token to try after the service has refused one.
    ///
    /// After an invalid signature, the other key signs from now on. An expired token is signed again.
    ///
    /// - Parameters:
    ///   - token: the refused token. If its key does not sign any more, the new token is by the key that does.
    ///   - code: why the service rejected it.
    ///   - resource: the URL of the resource that the token grants access to.
    /// - Returns: `nil` if there is no other token: there is only one key, this second's token has expired, or
    ///   the code is another one.
    public func token(
        replacing token: SASToken, rejectedFor code: SASTokenError.Code, for resource: String
    ) -> SASToken? {
        self.token(replacing: token, rejectedFor: code, for: resource, now: SystemClock.now())
    }

    /// - Parameter now: seconds since 1970 UTC.
    package func token(
        replacing refused: SASToken, rejectedFor code: SASTokenError.Code, for resource: String, now: Int64
    ) -> SASToken? {
        let keys = state.withLock { $0.keys }
        switch code {
        case .invalidSignature where keys.key.hasSigned(refused):
            guard let other = keys.other, !other.hasSigned(refused) else { return nil }
            state.withLock { state in
                // Unless another call has done so meanwhile.
                if state.keys.generation == keys.generation { state.replaceKeys(other, keys.key) }
            }
        case .invalidSignature:
            break
        case .expired:
            state.withLock { $0.forget(refused, for: ExactText(text: resource)) }
        default:
            return nil
        }
        let token = token(for: resource, now: now)
        return token.headerValue == refused.headerValue ? nil : token
    }

    package func cachedToken(for resource: String) -> SASToken? { token(for: resource) }

    /// Signs with other keys from now on.
    ///
    /// - Parameters:
    ///   - key: the policy's key.
    ///   - secondary: the key that takes over when the service calls this one's signatures invalid.
    public func replaceKeys(with key: SharedAccessKey, secondary: SharedAccessKey? = nil) {
        state.withLock { $0.replaceKeys(key, secondary) }
    }

    private struct State: Sendable {
        static let capacity = 1024

        private(set) var keys: Keys
        /// What was signed with the key, by resource.
        private(set) var kept: [ExactText: (signer: SASSigner, token: KeptToken)] = [:]

        init(_ key: SharedAccessKey, _ other: SharedAccessKey?) {
            keys = Keys(key: key, other: other, generation: 0)
        }

        mutating func replaceKeys(_ key: SharedAccessKey, _ other: SharedAccessKey?) {
            keys = Keys(key: key, other: other, generation: keys.generation + 1)
            kept = [:]
        }

        mutating func keep(_ signed: (signer: SASSigner, token: KeptToken), for name: ExactText) {
            if kept[name] == nil, kept.count == Self.capacity { kept = [:] }
            kept[name] = signed
        }

        mutating func forget(_ token: SASToken, for name: ExactText) {
            if kept[name]?.token.token.headerValue == token.headerValue { kept[name] = nil }
        }
    }

    /// The keys that sign now.
    private struct Keys: Sendable {
        let key: SharedAccessKey
        let other: SharedAccessKey?
        /// How often they were replaced.
        let generation: Int
    }
}

extension SASSigningSource: CustomStringConvertible, CustomReflectable {
    /// Which policy's key signs; neither keys nor tokens.
    public var description: String { "SASSigningSource(\(state.withLock { $0.keys.key }))" }

    /// The key's name alone.
    public var customMirror: Mirror { Mirror(self, children: ["key": state.withLock { $0.keys.key }]) }
}

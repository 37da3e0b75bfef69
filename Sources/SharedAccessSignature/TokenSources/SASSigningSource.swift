import HubLock

/// Signs tokens, and hands each out until shortly before it ends: one for each resource.
///
/// Two keys, a primary and a secondary one, let the service's keys be regenerated while programs run: when the service calls a
/// signature invalid, the other key takes over. Copies share what is kept, and any number of threads may ask at once. For
/// up to 1024 resources something is kept; with more, all of it is dropped now and then, and signed anew when it is asked for.
public struct SASSigningSource: SASTokenSource {
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
        state = Locked(State(key: key, other: secondary))
    }

    /// A token that has still some time to go.
    ///
    /// - Parameters:
    ///   - resource: the URL of what it is for.
    ///   - now: seconds since 1970 UTC; the system's clock if `nil`.
    public func token(for resource: String, now: Int64? = nil) -> SASToken {
        let now = now ?? SystemClock.now()
        return state.withLock { token(for: resource, now: now, &$0) }
    }

    /// A token in place of one that the service has refused.
    ///
    /// Of an invalid signature, the other key is to mend it: from now on, that one signs. A token that has ended is simply
    /// signed anew.
    ///
    /// - Parameters:
    ///   - refused: the token that was refused. If the key that made it signs no more, the new one is by that which does.
    ///   - reason: what the service has said of it.
    ///   - resource: the URL of what it was for.
    ///   - now: seconds since 1970 UTC; the system's clock if `nil`.
    /// - Returns: `nil` if there is no other: the signature is invalid, and there is one key; or this second's token has ended.
    public func token(
        inPlaceOf refused: SASToken, because reason: SASTokenRefusal, for resource: String, now: Int64? = nil
    ) -> SASToken? {
        let now = now ?? SystemClock.now()
        return state.withLock { state in
            switch reason {
            case .invalidSignature:
                if state.key.hasSigned(refused) {
                    guard let other = state.other else { return nil }
                    state = State(key: other, other: state.key)
                }
            case .expired:
                state.forget(refused, for: resource)
            }
            let token = token(for: resource, now: now, &state)
            return token.headerValue == refused.headerValue ? nil : token
        }
    }

    /// Signs with other keys from now on.
    ///
    /// - Parameters:
    ///   - key: the policy's key.
    ///   - secondary: the key that takes over when the service calls this one's signatures invalid.
    public func replaceKeys(with key: SharedAccessKey, secondary: SharedAccessKey? = nil) {
        state.withLock { $0 = State(key: key, other: secondary) }
    }

    private func token(for resource: String, now: Int64, _ state: inout State) -> SASToken {
        let name = ExactText(text: resource)
        let kept = state.kept[name]
        if let token = kept?.token, token.serves(at: now, margin: margin) { return token.token }
        let signer = kept?.signer ?? SASSigner(key: state.key, resource: resource, encoding: encoding)
        let token = signer.token(validFor: lifetime, now: now)
        if kept == nil, state.kept.count == State.capacity { state.kept = [:] }
        state.kept[name] = (signer, KeptToken(token: token, start: now))
        return token
    }

    private struct State: Sendable {
        static let capacity = 1024

        let key: SharedAccessKey
        let other: SharedAccessKey?
        /// What was signed with the key, by resource.
        var kept: [ExactText: (signer: SASSigner, token: KeptToken)] = [:]

        mutating func forget(_ token: SASToken, for resource: String) {
            let name = ExactText(text: resource)
            if kept[name]?.token.token.headerValue == token.headerValue { kept[name] = nil }
        }
    }
}

extension SASSigningSource: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Which policy's key signs; neither keys nor tokens.
    public var description: String { "SASSigningSource(\(state.withLock { $0.key }))" }

    /// Which policy's key signs; neither keys nor tokens.
    public var debugDescription: String { description }

    /// The key's name alone.
    public var customMirror: Mirror { Mirror(self, children: ["key": state.withLock { $0.key }]) }
}

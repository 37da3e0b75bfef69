import HubLock

/// Where a client gets its tokens: signs one, hands it out while it lasts, and renews it before it ends.
///
/// A token is renewed five minutes before its expiry, or when a quarter of its lifetime is left if that is less. Copies
/// share one cache, and any number of threads may ask at once.
public struct SASTokenSource: Sendable {
    private let signer: SASSigner
    private let lifetime: Int64
    private let current = Locked<SASToken?>(nil)

    /// Hands out tokens of a signer.
    ///
    /// - Parameters:
    ///   - signer: who signs them.
    ///   - lifetime: how long a new token is valid, at least a second.
    public init(signer: SASSigner, lifetime: Duration = .seconds(3600)) {
        precondition(lifetime >= .seconds(1), "a token lives for a second at least")
        self.signer = signer
        self.lifetime = lifetime.components.seconds
    }

    /// A token that has still some time to go.
    ///
    /// - Parameter now: seconds since 1970 UTC; the system's clock if `nil`.
    public func token(now: Int64? = nil) -> SASToken {
        let now = now ?? SystemClock.now()
        let margin = min(300, lifetime / 4)
        return current.withLock { current in
            if let token = current, now < token.expiry.addingSaturated(-margin),
                token.expiry <= now.addingSaturated(lifetime)
            {
                return token
            }
            let token = signer.token(expiringAt: max(0, now.addingSaturated(lifetime)))
            current = token
            return token
        }
    }
}

extension SASTokenSource: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What is signed for, and by whom; neither key nor token.
    public var description: String { "SASTokenSource(\(signer))" }

    /// What is signed for, and by whom; neither key nor token.
    public var debugDescription: String { description }

    /// The signer alone.
    public var customMirror: Mirror { Mirror(self, children: ["signer": signer]) }
}

import HubLock
import SharedAccessSignature

/// A source of a limited number of tokens that does not replace rejected tokens.
struct LimitedTokens: SASTokenSource {
    /// An error for a source without tokens left.
    struct NoTokenError: Error {}

    private let left: Locked<Int>

    init(count: Int) {
        left = Locked(count)
    }

    func token(for resource: String) async throws -> SASToken {
        let isUsedUp = left.withLock { left in
            defer { left -= 1 }
            return left <= 0
        }
        if isUsedUp { throw NoTokenError() }
        return SASSigner(key: TokenTests.primary, resource: resource).token(validFor: .seconds(100_000))
    }
}

/// A source that cancels the task of the call that takes the second token.
struct CancellingTokens: SASTokenCache {
    private let count = Locked(0)

    func cachedToken(for resource: String) async -> SASToken? {
        let isSecond = count.withLock { count in
            count += 1
            return count == 2
        }
        if isSecond { cancelCurrentTask() }
        return SASSigner(key: TokenTests.primary, resource: resource).token(validFor: .seconds(100_000))
    }

    func token(for resource: String) async throws -> SASToken { throw LimitedTokens.NoTokenError() }
}

/// Cancels the task that calls the function.
func cancelCurrentTask() {
    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
}

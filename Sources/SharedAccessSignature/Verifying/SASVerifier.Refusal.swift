extension SASVerifier {
    /// Why a token is refused: every check that failed, in the order in which they were made.
    public struct Refusal: Error, Hashable, CustomStringConvertible {
        /// A check that failed.
        public enum Reason: String, Sendable {
            /// No key of this name is known.
            case unknownKey
            /// The key of this name did not sign this token.
            case invalidSignature
            /// The token has ended.
            case expired
            /// The token lasts longer than any may.
            case lifetimeTooLong
            /// The token is for another resource.
            case outOfScope
        }

        /// Every check that failed; never empty.
        public let reasons: [Reason]

        /// The reasons, in one line.
        public var description: String { reasons.map(\.description).joined(separator: "; ") }
    }
}

extension SASVerifier.Refusal.Reason: CustomStringConvertible {
    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .unknownKey: "no key of the token's name is known here"
        case .invalidSignature: "the signature is not that of the key which the token names"
        case .expired: "the token has expired"
        case .lifetimeTooLong: "the token lasts longer than a token may here"
        case .outOfScope: "the token is not for this resource"
        }
    }
}

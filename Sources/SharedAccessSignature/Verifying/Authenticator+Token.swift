import HubCrypto
import HubText

extension Authenticator {
    /// The code that a token's signature is to be: of `sr`, a line feed and `se`, just as they are spelled.
    func code(of token: SASToken, _ text: Span<UInt8>) -> HMAC.AuthenticationCode {
        code(of: text.extracting(token.rawResource), SASToken.separator.span, text.extracting(token.rawExpiry))
    }
}

extension SASToken {
    /// What stands between resource and expiry in the string that is signed.
    static let separator = [UInt8(ascii: "\n")]
}

extension SharedAccessKey {
    /// Whether a token's signature is this key's.
    func hasSigned(_ token: SASToken) -> Bool {
        token.headerValue.withBytes { authenticator.code(of: token, $0) == token.signature }
    }
}

import SharedAccessSignature

extension HubError {
    /// What is wrong with the token, as far as another one may mend it.
    ///
    /// The service names the reason by a number, at the beginning of the detail or in HTTP/1.1's reason phrase, which not every
    /// transport hands on; and for a wrong key its older front end says that a right is missing. So a 401 is about the signature
    /// unless it names another reason.
    var tokenProblem: SASTokenError.Code? {
        guard status == 401 else { return nil }
        switch serviceSubcode {
        case nil, 40100?, 40103?: return .invalidSignature
        case 40106?: return .expired
        default: return nil
        }
    }
}

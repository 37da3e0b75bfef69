import SharedAccessSignature

extension HubResponse {
    /// What is wrong with the token, as far as another one may mend it.
    ///
    /// The service names the reason by a number, in the body or in HTTP/1.1's reason phrase, which not every transport hands
    /// on; and for a wrong key its older front end says that a right is missing. So a 401 is about the signature unless it names
    /// another reason.
    var tokenProblem: SASTokenRefusal? {
        guard status == 401 else { return nil }
        let text = String(decoding: body, as: UTF8.self)
        if text.contains("40106") { return .expired }
        let otherReasons = ["40101", "40102", "40104", "40105", "40107", "40108", "40109", "40110"]
        return text.contains("40103") || !otherReasons.contains { text.contains($0) } ? .invalidSignature : nil
    }
}

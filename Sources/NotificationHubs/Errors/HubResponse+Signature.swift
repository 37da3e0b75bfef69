extension HubResponse {
    /// Whether the token was refused, and for nothing but its signature as far as can be told.
    ///
    /// The service names the reason by a number, in the body or in HTTP/1.1's reason phrase, which not every transport hands on;
    /// and for a wrong key its older front end says that a right is missing. So a 401 counts unless it names another reason.
    var saysInvalidSignature: Bool {
        guard status == 401 else { return false }
        let text = String(decoding: body, as: UTF8.self)
        let otherReasons = ["40101", "40102", "40104", "40105", "40106", "40107", "40108", "40109", "40110"]
        return text.contains("40103") || !otherReasons.contains { text.contains($0) }
    }
}

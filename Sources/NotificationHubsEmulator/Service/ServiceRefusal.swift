/// Why the service does not do what it is asked: the status and the text of its answer.
struct ServiceRefusal: Error, Hashable {
    let status: Int
    let text: String

    init(_ status: Int, _ text: String) {
        self.status = status
        self.text = text
    }

    /// What is asked for is not what the service can read, or not what it takes.
    static func badRequest(_ text: String) -> ServiceRefusal { ServiceRefusal(400, text) }

    /// Something that a hub of a lower tier does not do. The service's clients know it by these words.
    static func tier(_ what: String) -> ServiceRefusal {
        ServiceRefusal(403, "\(what) is not available for your tier")
    }
}

import NotificationHubs

extension Control {
    /// Makes a container: `{"hub": "push", "name": "jobs"}`; the answer has its URL, with what opens it.
    func makeContainer(_ request: HTTPRequest) throws(ControlError) -> HubResponse {
        let body = try ControlBody(request.body)
        try body.allowOnly("hub", "name")
        guard let name = try body.text("name") else { throw ControlError(400, "name is the container's name") }
        let hub = try hub(try body.text("hub"))
        do {
            let address = try hub.address(ofContainer: name)
            return .json(["url": .string(address.url(at: "http://\(request.headers["Host"] ?? "")"))])
        } catch {
            throw ControlError(error.status, error.description)
        }
    }
}

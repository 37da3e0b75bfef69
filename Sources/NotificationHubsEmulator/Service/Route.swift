import NotificationHubs

/// What a request asks of which hub.
struct Route {
    enum Operation {
        case putInstallation(String)
        case getInstallation(String)
        case deleteInstallation(String)
        case sendMessage
        /// The path is the service's, the method is not.
        case notServed
    }

    let hubName: String
    let operation: Operation

    /// - Returns: `nil` if the service has nothing at the request's path.
    init?(_ request: HubRequest) {
        let segments = request.path.split(separator: "/").map(String.init)
        guard let hubName = segments.first else { return nil }
        switch (segments.dropFirst().first?.lowercased(), segments.count) {
        case ("installations", 3):
            switch request.method {
            case .put: operation = .putInstallation(segments[2])
            case .get: operation = .getInstallation(segments[2])
            case .delete: operation = .deleteInstallation(segments[2])
            case .post, .patch: operation = .notServed
            }
        case ("messages", 2):
            operation = request.method == .post ? .sendMessage : .notServed
        default:
            return nil
        }
        self.hubName = hubName
    }

    /// What a key must allow for it.
    var right: AccessPolicy.Right {
        if case .sendMessage = operation { .send } else { .listen }
    }
}

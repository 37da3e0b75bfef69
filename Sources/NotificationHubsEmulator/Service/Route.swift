import NotificationHubs

/// What a request asks of which hub.
struct Route {
    enum Operation {
        case putInstallation(String)
        case patchInstallation(String)
        case getInstallation(String)
        case deleteInstallation(String)
        case sendMessage
        case sendBatch
        case getOutcome(String)
        case schedule
        case cancel(String)
        /// The path is the service's, the method is not.
        case notServed
    }

    let hubName: String
    let operation: Operation

    /// - Returns: `nil` if the service has nothing at the request's path.
    init?(_ request: HubRequest) {
        let segments = request.path.split(separator: "/").map(String.init)
        guard segments.count > 1, segments.count <= 3 else { return nil }
        let last = segments.count == 3 ? segments[2] : nil
        switch (segments[1].lowercased(), last) {
        case ("installations", let id?): operation = Self.installation(id, request.method)
        case ("messages", nil): operation = request.method == .post ? .sendMessage : .notServed
        case ("messages", "$batch"), ("messages", "%24batch"):
            operation = request.method == .post ? .sendBatch : .notServed
        case ("messages", let id?): operation = request.method == .get ? .getOutcome(id) : .notServed
        case ("schedulednotifications", nil): operation = request.method == .post ? .schedule : .notServed
        case ("schedulednotifications", let id?): operation = request.method == .delete ? .cancel(id) : .notServed
        default: return nil
        }
        hubName = segments[0]
    }

    private static func installation(_ id: String, _ method: HubRequest.Method) -> Operation {
        switch method {
        case .put: .putInstallation(id)
        case .patch: .patchInstallation(id)
        case .get: .getInstallation(id)
        case .delete: .deleteInstallation(id)
        case .post: .notServed
        }
    }

    /// What a key must allow for it.
    var right: AccessPolicy.Right {
        switch operation {
        case .sendMessage, .sendBatch, .schedule, .cancel: .send
        // Nobody has said which right telemetry takes: the one that allows most.
        case .getOutcome: .manage
        case .putInstallation, .patchInstallation, .getInstallation, .deleteInstallation, .notServed: .listen
        }
    }
}

/// A request's query: names in any case, some of them without a value.
struct Query {
    private let fields: [(name: String, value: String?)]

    init(_ text: String) {
        fields = text.split(separator: "&").map { field in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (parts[0].lowercased(), parts.count > 1 ? String(parts[1]) : nil)
        }
    }

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// Whether a flag is set: `direct` as .NET's and Java's SDKs write it, `direct=true` as JavaScript's does.
    func has(_ flag: String) -> Bool {
        fields.contains { $0.name == flag && ($0.value ?? "true").lowercased() == "true" }
    }
}

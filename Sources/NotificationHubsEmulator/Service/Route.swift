import HubText
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
        case newRegistrationID
        case createRegistration
        case putRegistration(String)
        case getRegistration(String)
        case deleteRegistration(String)
        case listRegistrations(isByHandle: Bool)
        case listRegistrationsOfTag(String)
        case submitJob
        case getJob(String)
        case listJobs
        case getFeedbackContainer
        /// The path is the service's, the method is not.
        case notServed
    }

    let hubName: String
    let operation: Operation

    /// - Returns: `nil` if the service has nothing at the request's path.
    init?(_ request: HubRequest) {
        let segments = request.path.split(separator: "/").map(String.init)
        guard (2...4).contains(segments.count) else { return nil }
        hubName = segments[0]
        if segments.count == 4 {
            guard segments[1].lowercased() == "tags", segments[3].lowercased() == "registrations" else { return nil }
            operation = request.method == .get ? .listRegistrationsOfTag(segments[2]) : .notServed
            return
        }
        let last = segments.count == 3 ? segments[2] : nil
        switch (segments[1].lowercased(), last) {
        case ("installations", let id?): operation = Self.installation(id, request.method)
        case ("messages", nil): operation = request.method == .post ? .sendMessage : .notServed
        case ("messages", "$batch"), ("messages", "%24batch"):
            operation = request.method == .post ? .sendBatch : .notServed
        case ("messages", let id?): operation = request.method == .get ? .getOutcome(id) : .notServed
        case ("schedulednotifications", nil): operation = request.method == .post ? .schedule : .notServed
        case ("schedulednotifications", let id?): operation = request.method == .delete ? .cancel(id) : .notServed
        case ("registrationids", nil): operation = request.method == .post ? .newRegistrationID : .notServed
        case ("registrations", let id): operation = Self.registration(id, request)
        case ("feedbackcontainer", nil): operation = request.method == .get ? .getFeedbackContainer : .notServed
        case ("jobs", let id): operation = Self.job(id, request.method)
        default: return nil
        }
    }

    private static func job(_ id: String?, _ method: HubRequest.Method) -> Operation {
        switch (method, id) {
        case (.post, nil): .submitJob
        case (.get, nil): .listJobs
        case (.get, let id?): .getJob(id)
        default: .notServed
        }
    }

    private static func registration(_ id: String?, _ request: HubRequest) -> Operation {
        switch (request.method, id) {
        case (.get, nil): .listRegistrations(isByHandle: QueryString(request.query)["$filter"] != nil)
        case (.post, nil): .createRegistration
        case (.put, let id?): .putRegistration(id)
        case (.get, let id?): .getRegistration(id)
        case (.delete, let id?): .deleteRegistration(id)
        default: .notServed
        }
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
        // Who may listen may look its own device up; the rest is for who manages the hub.
        case .listRegistrations(let isByHandle): isByHandle ? .listen : .manage
        case .listRegistrationsOfTag, .submitJob, .getJob, .listJobs, .getFeedbackContainer: .manage
        case .putInstallation, .patchInstallation, .getInstallation, .deleteInstallation, .newRegistrationID,
            .createRegistration, .putRegistration, .getRegistration, .deleteRegistration, .notServed:
            .listen
        }
    }
}

extension QueryString {
    /// Whether a flag is set: `direct`, as .NET's and Java's SDKs write it, or `direct=true`, as JavaScript's does.
    func hasFlag(_ name: String) -> Bool {
        fields.contains { $0.name == name && ($0.rawValue == nil || $0.value.utf8.isEqual(ignoringCase: "true")) }
    }
}

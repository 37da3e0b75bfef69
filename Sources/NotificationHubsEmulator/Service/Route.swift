import HubText
import NotificationHubs

/// The operation that a request asks of a hub.
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
        /// The service has the path, but not the method.
        case notServed
    }

    /// All endpoints, `$batch` before the id that it could be. The argument is that of the path's placeholder.
    private static let all: [(HubRequest.Method, PathTemplate, @Sendable (_ argument: String) -> Operation)] = [
        (.put, .installation, { .putInstallation($0) }),
        (.patch, .installation, { .patchInstallation($0) }),
        (.get, .installation, { .getInstallation($0) }),
        (.delete, .installation, { .deleteInstallation($0) }),
        (.post, .messages, { _ in .sendMessage }),
        (.post, .batch, { _ in .sendBatch }),
        (.get, .message, { .getOutcome($0) }),
        (.post, .scheduledNotifications, { _ in .schedule }),
        (.delete, .scheduledNotification, { .cancel($0) }),
        (.post, .registrationIDs, { _ in .newRegistrationID }),
        (.post, .registrations, { _ in .createRegistration }),
        (.get, .registrations, { _ in .listRegistrations(isByHandle: false) }),
        (.put, .registration, { .putRegistration($0) }),
        (.get, .registration, { .getRegistration($0) }),
        (.delete, .registration, { .deleteRegistration($0) }),
        (.get, .registrationsOfTag, { .listRegistrationsOfTag($0) }),
        (.post, .jobs, { _ in .submitJob }),
        (.get, .jobs, { _ in .listJobs }),
        (.get, .job, { .getJob($0) }),
        (.get, .feedbackContainer, { _ in .getFeedbackContainer }),
    ]

    let hubName: String
    let operation: Operation

    /// - Returns: `nil` if the service has nothing at the request's path.
    init?(_ request: HubRequest) {
        let segments = request.path.split(separator: "/").map(String.init)
        guard let hubName = segments.first else { return nil }
        self.hubName = hubName
        var matched: PathTemplate?
        for (method, template, operation) in Self.all where matched == nil || matched == template {
            guard let arguments = template.arguments(of: Array(segments.dropFirst()), comparingBy: Self.isEqual) else {
                continue
            }
            matched = template
            guard method == request.method else { continue }
            let found = operation(arguments.first ?? "")
            if case .listRegistrations = found {
                self.operation = .listRegistrations(isByHandle: QueryString(request.query)["$filter"] != nil)
            } else {
                self.operation = found
            }
            return
        }
        guard matched != nil else { return nil }
        operation = .notServed
    }

    /// Whether a segment is a word of the service's paths, in any case; some clients write the dollar sign as `%24`.
    private static func isEqual(_ segment: String, _ word: String) -> Bool {
        PercentDecoded(segment.utf8).bytes.isEqual(ignoringCase: word)
    }

    /// What a key must allow for it.
    var right: HubEmulator.AccessPolicy.Right {
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

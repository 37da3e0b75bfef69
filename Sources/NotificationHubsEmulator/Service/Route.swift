import HubText
import NotificationHubs

/// An endpoint of the service: the requests it takes, the right that they need, and its handler.
struct Route: Sendable {
    /// - Parameter argument: the value of the path's placeholder.
    typealias Handler =
        @Sendable (_ hub: inout HubState, _ call: ServiceCall, _ argument: String) throws(ServiceRefusal) -> HubResponse

    let method: HubRequest.Method
    let path: PathTemplate
    /// A query item that the request must have.
    let queryItem: String?
    /// What a key must allow for it.
    let right: HubEmulator.AccessPolicy.Right
    let handler: Handler

    private init(
        _ method: HubRequest.Method, _ path: PathTemplate, with queryItem: String? = nil,
        _ right: HubEmulator.AccessPolicy.Right, _ handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.queryItem = queryItem
        self.right = right
        self.handler = handler
    }

    /// All endpoints. The first one that matches takes a request.
    private static let all = [
        Route(.put, .installation, .listen) { hub, call, id throws(ServiceRefusal) in
            try hub.putInstallation(id, call)
        },
        Route(.patch, .installation, .listen) { hub, call, id throws(ServiceRefusal) in
            try hub.patchInstallation(id, call)
        },
        Route(.get, .installation, .listen) { hub, _, id throws(ServiceRefusal) in try hub.getInstallation(id) },
        Route(.delete, .installation, .listen) { hub, call, id throws(ServiceRefusal) in
            try hub.deleteInstallation(id, call)
        },
        Route(.post, .messages, .send) { hub, call, _ throws(ServiceRefusal) in try hub.sendMessage(call) },
        // Before the id that `$batch` could be.
        Route(.post, .batch, .send) { hub, call, _ throws(ServiceRefusal) in try hub.sendBatch(call) },
        // The right that telemetry takes is not documented: the one that allows most.
        Route(.get, .message, .manage) { hub, call, id throws(ServiceRefusal) in try hub.outcome(of: id, call) },
        Route(.post, .scheduledNotifications, .send) { hub, call, _ throws(ServiceRefusal) in try hub.schedule(call) },
        Route(.delete, .scheduledNotification, .send) { hub, call, id throws(ServiceRefusal) in
            try hub.cancel(id, call)
        },
        Route(.post, .registrationIDs, .listen) { hub, call, _ in hub.newRegistrationID(call) },
        Route(.post, .registrations, .listen) { hub, call, _ throws(ServiceRefusal) in
            try hub.createRegistration(call)
        },
        // A device may look itself up by its handle; other lists are for who manages the hub.
        Route(.get, .registrations, with: "$filter", .listen) { hub, call, _ throws(ServiceRefusal) in
            try hub.listRegistrations(call)
        },
        Route(.get, .registrations, .manage) { hub, call, _ throws(ServiceRefusal) in
            try hub.listRegistrations(call)
        },
        Route(.put, .registration, .listen) { hub, call, id throws(ServiceRefusal) in
            try hub.putRegistration(id, call)
        },
        Route(.get, .registration, .listen) { hub, call, id throws(ServiceRefusal) in
            try hub.getRegistration(id, call)
        },
        Route(.delete, .registration, .listen) { hub, call, id throws(ServiceRefusal) in
            try hub.deleteRegistration(id, call)
        },
        Route(.get, .registrationsOfTag, .manage) { hub, call, tag throws(ServiceRefusal) in
            try hub.listRegistrations(tag: tag, call)
        },
        Route(.post, .jobs, .manage) { hub, call, _ throws(ServiceRefusal) in try hub.submitJob(call) },
        Route(.get, .jobs, .manage) { hub, call, _ throws(ServiceRefusal) in try hub.listJobs(call) },
        Route(.get, .job, .manage) { hub, call, id throws(ServiceRefusal) in try hub.getJob(id, call) },
        Route(.get, .feedbackContainer, .manage) { hub, call, _ throws(ServiceRefusal) in
            try hub.getFeedbackContainer(call)
        },
    ]

    /// The endpoint of a request.
    struct Match {
        let hubName: String
        /// `nil` if the service has the path, but not for the method.
        let route: Route?
        let argument: String

        /// - Returns: `nil` if the service has nothing at the request's path.
        init?(_ request: HubRequest) {
            let segments = request.path.split(separator: "/").map(String.init)
            guard let hubName = segments.first else { return nil }
            var matched: PathTemplate?
            for route in Route.all where matched == nil || matched == route.path {
                guard let arguments = route.path.arguments(of: Array(segments.dropFirst()), comparingBy: Route.isEqual)
                else { continue }
                matched = route.path
                guard route.method == request.method,
                    route.queryItem.map({ QueryString(request.query)[$0] != nil }) ?? true
                else { continue }
                (self.hubName, self.route, argument) = (hubName, route, arguments.first ?? "")
                return
            }
            guard matched != nil else { return nil }
            (self.hubName, route, argument) = (hubName, nil, "")
        }
    }

    /// Whether a segment is a word of the service's paths, in any case; some clients write the dollar sign as `%24`.
    private static func isEqual(_ segment: String, _ word: String) -> Bool {
        PercentDecoded(segment.utf8).bytes.isEqual(ignoringCase: word)
    }
}

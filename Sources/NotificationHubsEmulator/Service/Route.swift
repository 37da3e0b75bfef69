import HubText
import NotificationHubs

/// An endpoint of the service: the requests that it matches, the right that they require, and their handler.
struct Route: Sendable {
    /// The part of a handler that needs the hub's state. Other requests wait for it.
    typealias Change = (_ hub: inout HubState) throws(ServiceError) -> HubResponse
    /// The part of a handler that parses and checks a request. Other requests do not wait for it.
    ///
    /// - Parameter argument: The value of the path's placeholder; empty if the path has none.
    typealias Handler = @Sendable (_ call: ServiceCall, _ argument: String) throws(ServiceError) -> Change

    let method: HubRequest.Method
    let path: PathTemplate
    /// The name of a query item that the request must have; `nil` for none.
    let queryItem: String?
    /// The right that the key's policy must grant.
    let right: HubEmulator.AccessPolicy.Right
    let handler: Handler

    private init(
        _ method: HubRequest.Method, _ path: PathTemplate, with queryItem: String? = nil,
        _ right: HubEmulator.AccessPolicy.Right, preparing handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.queryItem = queryItem
        self.right = right
        self.handler = handler
    }

    private init(
        _ method: HubRequest.Method, _ path: PathTemplate, with queryItem: String? = nil,
        _ right: HubEmulator.AccessPolicy.Right,
        _ handler: @escaping @Sendable (inout HubState, ServiceCall, String) throws(ServiceError) -> HubResponse
    ) {
        self.init(method, path, with: queryItem, right) { call, argument in
            { hub throws(ServiceError) in try handler(&hub, call, argument) }
        }
    }

    /// All endpoints. The first match handles the request.
    private static let all = [
        Route(.put, .installation, .listen, preparing: HubState.putInstallation),
        Route(.patch, .installation, .listen, preparing: HubState.patchInstallation),
        Route(.get, .installation, .listen) { hub, _, id throws(ServiceError) in try hub.getInstallation(id) },
        Route(.delete, .installation, .listen) { hub, call, id throws(ServiceError) in
            try hub.deleteInstallation(id, call)
        },
        Route(.post, .messages, .send, preparing: HubState.sendMessage),
        // Precedes the route for an ID, which would also match `$batch`.
        Route(.post, .batch, .send) { hub, call, _ throws(ServiceError) in try hub.sendBatch(call) },
        // The documentation omits the right for telemetry. The emulator requires the strongest one.
        Route(.get, .message, .manage) { hub, call, id throws(ServiceError) in try hub.outcome(of: id, call) },
        Route(.post, .scheduledNotifications, .send) { hub, call, _ throws(ServiceError) in try hub.schedule(call) },
        Route(.delete, .scheduledNotification, .send) { hub, call, id throws(ServiceError) in
            try hub.cancel(id, call)
        },
        Route(.post, .registrationIDs, .listen) { hub, call, _ in hub.newRegistrationID(call) },
        Route(.post, .registrations, .listen, preparing: HubState.createRegistration),
        // Listen is enough to find a device by its handle. Other lists require Manage.
        Route(.get, .registrations, with: "$filter", .listen) { hub, call, _ throws(ServiceError) in
            try hub.listRegistrations(call)
        },
        Route(.get, .registrations, .manage) { hub, call, _ throws(ServiceError) in
            try hub.listRegistrations(call)
        },
        Route(.put, .registration, .listen, preparing: HubState.putRegistration),
        Route(.get, .registration, .listen) { hub, call, id throws(ServiceError) in
            try hub.getRegistration(id, call)
        },
        Route(.delete, .registration, .listen) { hub, call, id throws(ServiceError) in
            try hub.deleteRegistration(id, call)
        },
        Route(.get, .registrationsOfTag, .manage) { hub, call, tag throws(ServiceError) in
            try hub.listRegistrations(tag: tag, call)
        },
        Route(.post, .jobs, .manage) { hub, call, _ throws(ServiceError) in try hub.submitJob(call) },
        Route(.get, .jobs, .manage) { hub, call, _ throws(ServiceError) in try hub.listJobs(call) },
        Route(.get, .job, .manage) { hub, call, id throws(ServiceError) in try hub.getJob(id, call) },
        Route(.get, .feedbackContainer, .manage) { hub, call, _ throws(ServiceError) in
            try hub.getFeedbackContainer(call)
        },
    ]

    /// The result of matching a request with the endpoints.
    struct Match {
        let hubName: String
        /// The endpoint; `nil` if the path exists but does not support the method.
        let route: Route?
        let argument: String

        /// Creates the match for a request; `nil` if the path does not exist.
        init?(_ request: HubRequest) {
            let segments = request.path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
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

    /// Returns whether a path segment is a word of a template, ignoring case and percent-encoding.
    ///
    /// Some clients write the dollar sign as `%24`.
    private static func isEqual(_ segment: String, _ word: String) -> Bool {
        PercentDecoded(segment.utf8).bytes.isEqual(ignoringCase: word)
    }
}

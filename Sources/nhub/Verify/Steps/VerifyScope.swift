import HubLock
import HubText
import NotificationHubs
import SharedAccessSignature

/// The limits of one run: what its requests may change, and what they have written.
struct VerifyScope: Sendable {
    let names: VerifyNames
    private let hub: NotificationHub.Name
    private let endpoint: String
    /// Whether the run may export the hub's registrations into a container of the user.
    private let allowsExport: Bool
    private let written = Locked(Written())

    /// The things that the run has written.
    struct Written: Hashable, Sendable {
        var installations: Set<String> = []
        var registrations: Set<String> = []
        /// The registrations that the run may change: the hub has shown that they are unused, or have the run's tag.
        var ownRegistrations: Set<String> = []
        /// The IDs that the hub has issued to the run.
        var issued: Set<String> = []
        var scheduled: Set<String> = []
        /// Whether the run has sent a request other than GET.
        var isAny = false
    }

    init(_ names: VerifyNames, of hub: NotificationHub.Name, at endpoint: ServiceEndpoint, allowsExport: Bool) {
        (self.names, self.hub, self.endpoint) = (names, hub, "\(endpoint)")
        self.allowsExport = allowsExport
    }

    /// The things that the run may have written, and has not deleted.
    var left: Written { written.withLock { $0 } }

    /// Returns why a request is not one of the run's, or `nil` if it is.
    func refusal(of request: HubRequest) -> String? {
        if request.method == .get { return nil }
        guard "\(request.endpoint)" == endpoint else { return "it is for another host" }
        guard isForHub(request) else { return "it is for another hub" }
        let path = Self.path(request)
        let body = String(decoding: request.body, as: UTF8.self)
        switch (request.method, path.first, path.count) {
        case (_, "installations", 2):
            return path[1].hasPrefix(names.run) ? nil : "the installation is not one of the run's"
        case (.post, "registrationids", 1): return nil
        case (.post, "registrations", 1), (.put, "registrations", 2):
            guard body.utf8.firstRange(of: names.run.utf8) != nil else { return "the registration lacks the run's tag" }
            return path.count == 1 || written.withLock({ $0.ownRegistrations.contains(path[1]) })
                ? nil : "the registration is not one of the run's"
        case (.delete, "registrations", 2):
            return written.withLock { $0.ownRegistrations.contains(path[1]) }
                ? nil : "the registration is not one of the run's"
        case (.delete, "schedulednotifications", 2):
            let isOwn =
                path[1] == VerifyNames.unknownNotification.rawValue
                || written.withLock { $0.scheduled.contains(path[1]) }
            return isOwn ? nil : "the message is not one of the run's"
        case (.post, "messages", 1): return refusal(ofMessage: request)
        case (.post, "messages", 2): return isBatchOfRun(body, request) ? nil : "a device is not one of the run's"
        case (.post, "schedulednotifications", 1):
            return request.query.utf8.firstRange(of: "direct".utf8) == nil
                ? refusal(ofMessage: request) : "a scheduled message must have tags"
        case (.post, "jobs", 1):
            return allowsExport && body.utf8.firstRange(of: "ExportRegistrations".utf8) != nil
                ? nil : "the job is not an export"
        default: return "unexpected request"
        }
    }

    private func refusal(ofMessage request: HubRequest) -> String? {
        if request.query.split(separator: "&").contains("direct=true") {
            let handle = request.headers["ServiceBusNotification-DeviceHandle"] ?? ""
            return PushPlatform.all.contains { names.channel($0).handle == handle }
                ? nil : "the device is not one of the run's"
        }
        guard let tags = request.headers["ServiceBusNotification-Tags"] else { return "the message has no tags" }
        // `!` selects all devices without a tag.
        if tags.utf8.contains(UInt8(ascii: "!")) { return "the expression contains !" }
        let words = tags.split { " ()&|".contains($0) }
        let isOwn = words.allSatisfy { word in
            ["", "$InstallationId:{", "$UserId:{", "$UserId:"].contains { word.hasPrefix($0 + names.run) }
        }
        return isOwn && !words.isEmpty ? nil : "a tag is not one of the run's"
    }

    /// Returns whether all devices of a batch are those of the run.
    private func isBatchOfRun(_ body: String, _ request: HubRequest) -> Bool {
        let own = Set(PushPlatform.all.map { names.channel($0).handle })
        let lines = body.split(separator: "\r\n", omittingEmptySubsequences: true)
        let lists = lines.compactMap { line -> [JSONValue]? in
            guard case .array(let values)? = try? JSONValue(parsing: Array(line.utf8)) else { return nil }
            return values
        }
        return request.query.split(separator: "&").contains("direct=true") && lists.count == 1
            && lists[0].allSatisfy { $0.string.map(own.contains) ?? false }
    }

    /// Returns the decoded segments of a request's path below the hub.
    private static func path(_ request: HubRequest) -> [String] {
        request.path.split(separator: "/").dropFirst().map { String(percentDecoding: $0) }
    }

    /// Returns whether a request is for the hub, and not for storage.
    func isForHub(_ request: HubRequest) -> Bool {
        "\(request.endpoint)" == endpoint
            && request.path.split(separator: "/").first.map { hub.isSame(as: String(percentDecoding: $0)) } == true
    }

    /// Records what a request may write, before it is sent.
    func willSend(_ request: HubRequest) {
        if request.method != .get { written.withLock { $0.isAny = true } }
        let path = Self.path(request)
        if request.method == .put, path.count == 2, path[0] == "installations" {
            written.withLock { _ = $0.installations.insert(path[1]) }
        }
    }

    /// Records what a response shows to be written, deleted or the run's own.
    func didSend(_ request: HubRequest, _ response: HubResponse) {
        let path = Self.path(request)
        let isSuccess = (200..<300).contains(response.status)
        let isMissing = [404, 410].contains(response.status)
        let location = response.headers["Location"] ?? response.headers["Content-Location"]
        let id = location?.split(separator: "?").first?.split(separator: "/").last.map { String(percentDecoding: $0) }
        switch (request.method, path.first, path.count) {
        case (.post, "registrationids", _) where isSuccess:
            if let id { written.withLock { _ = $0.issued.insert(id) } }
        case (.get, "registrations", 2):
            written.withLock { written in
                let isOwn =
                    isSuccess
                    ? response.body.firstRange(of: Array(names.run.utf8)) != nil
                    : isMissing && written.issued.contains(path[1])
                if isOwn {
                    written.ownRegistrations.insert(path[1])
                } else {
                    written.ownRegistrations.remove(path[1])
                }
            }
        case (.post, "schedulednotifications", _) where isSuccess: if let id { add(scheduled: id) }
        case (.post, "registrations", _) where isSuccess: addRegistrations(in: response.body)
        case (.put, "registrations", 2) where isSuccess: add(registrations: [path[1]])
        case (.delete, "registrations", 2) where isSuccess || isMissing: removed(registration: path[1])
        case (.delete, "schedulednotifications", 2) where isSuccess || response.status == 404:
            written.withLock { _ = $0.scheduled.remove(path[1]) }
        default: break
        }
    }

    /// Records the registration in the response to a request that creates one.
    private func addRegistrations(in body: [UInt8]) {
        let ids = String(decoding: body, as: UTF8.self).matches(of: /<RegistrationId>([^<]+)<\/RegistrationId>/)
        add(registrations: ids.map { String($0.1) })
    }

    /// Records registrations to delete at the end, if they are then still the run's.
    func add(registrations ids: [String]) { written.withLock { $0.registrations.formUnion(ids) } }

    /// Records that the hub no longer has a registration.
    func removed(registration id: String) { written.withLock { _ = $0.registrations.remove(id) } }

    /// Allows the run to cancel a scheduled message.
    func add(scheduled id: String) { written.withLock { _ = $0.scheduled.insert(id) } }

    /// Records installations that an earlier process may have written.
    func add(installations ids: [String]) { written.withLock { $0.installations.formUnion(ids) } }

    /// Records that the hub no longer has an installation.
    func removed(installation id: String) { written.withLock { _ = $0.installations.remove(id) } }
}

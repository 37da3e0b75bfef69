import HubServer
import HubText
import NotificationHubs
import NotificationHubsEmulator

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// The part of the server that a request is for.
enum Destination {
    /// The page, which a browser that requests only the host is redirected to.
    case page
    /// The control API, at a path below its prefix.
    case control(path: String)
    /// Azure Storage: the storage account, or a container by its signed URL.
    case storage(HubEmulator, HubRequest)
    /// The management of hubs.
    case management(Namespace.Action, HubRequest)
    /// A hub.
    case hub(HubEmulator, HubRequest)
    /// No part: the request is invalid.
    case invalid(HubResponse)
}

/// Determines the destination of each request once, and passes the request on.
struct Dispatcher: Sendable {
    let namespace: Namespace
    /// The hub whose storage account is served.
    let storage: HubEmulator
    let network: HubEmulator.Server.Network
    let control: ControlAPI

    /// Handles a request, and records it, unless it is for the page or the control API.
    func handle(_ request: HTTPRequest) -> HTTPAction {
        let (date, start) = (Date(), ContinuousClock.now)
        let destination = destination(of: request)
        let action = action(for: destination, request)
        switch destination {
        case .page, .control: return action
        case .storage, .management, .hub, .invalid:
            return action.observed { response in
                let recorded = control.requestLog.record(request, response, date: date, duration: .now - start)
                network.observer?(recorded)
            }
        }
    }

    /// Returns the destination of a request.
    func destination(of request: HTTPRequest) -> Destination {
        // The signed URL of a container is below the prefix of the control API, but needs no token.
        let container = BlobAddress(path: request.path, query: request.query)
        if container == nil, let destination = Self.control(request) { return destination }
        if network.rejects(request) {
            return invalid(421, "Invalid Host header: use 127.0.0.1 or localhost")
        }
        // HEAD is handled as GET; the server omits the body.
        guard let method = HubRequest.Method.known(request.method == "HEAD" ? "GET" : request.method) else {
            var response = ServiceResponse.error(
                status: 405, "Unsupported method; see the Allow header", now: storage.now())
            response.headers["Allow"] = "GET, HEAD, PUT, POST, PATCH, DELETE"
            return .invalid(response)
        }
        guard let endpoint = request.endpoint(behind: network.proxy) else {
            return invalid(400, "Missing or invalid Host header")
        }
        let hubRequest = HubRequest(request, method, endpoint: endpoint)
        // The signature of a storage request includes the method.
        let storageRequest = HubRequest(request, HubRequest.Method(rawValue: request.method), endpoint: endpoint)
        if let container { return .storage(namespace.hub(container.hubName), storageRequest) }
        if storage.options.storageAccount.location(of: hubRequest) != nil { return .storage(storage, storageRequest) }
        if let action = Namespace.Action(request) { return .management(action, hubRequest) }
        return .hub(namespace.hub(request.path.split(separator: "/").first.map(String.init) ?? ""), hubRequest)
    }

    /// Returns the page or the control API; `nil` for another destination.
    private static func control(_ request: HTTPRequest) -> Destination? {
        let path = request.path
        // The user entered only the host in a browser. SDKs list a namespace's hubs here, but do not accept HTML.
        if path == "/", ["GET", "HEAD"].contains(request.method),
            request.headers["Accept"]?.lowercased().contains("text/html") == true
        {
            return .page
        }
        // Some clients percent-encode the dollar sign.
        for prefix in [ControlAPI.prefix, "/%24emulator"] where path.lowercased().hasPrefix(prefix) {
            let rest = path.dropFirst(prefix.count)
            if rest.isEmpty { return .page }
            if rest.first == "/" { return .control(path: String(rest.dropFirst())) }
        }
        return nil
    }

    private func invalid(_ status: Int, _ detail: String) -> Destination {
        .invalid(ServiceResponse.error(status: status, detail, now: storage.now()))
    }

    /// Returns the action of a destination.
    func action(for destination: Destination, _ request: HTTPRequest) -> HTTPAction {
        switch destination {
        case .page: .respond(.redirect(to: ControlAPI.prefix + "/"))
        case .control(let path): control.handle(request, at: path)
        case .storage(let hub, let request), .hub(let hub, let request): hub.handle(request)
        case .management(let action, let request): .respond(HTTPResponse(namespace.perform(action, request)))
        case .invalid(let response): .respond(HTTPResponse(response))
        }
    }
}

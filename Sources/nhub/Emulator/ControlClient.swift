import HubCommandLine
import NotificationHubs
import NotificationHubsHTTP
import SharedAccessSignature

/// A client of the control API of a running emulator.
struct ControlClient: Sendable {
    private let endpoint: ServiceEndpoint
    private let transport: HubHTTPTransport
    private let headers: HubHeaders

    /// The longest response, such as a thousand installations of the greatest size.
    private static let maximumResponseByteCount = 1 << 28

    /// Creates a client with the control token in the environment.
    ///
    /// - Parameters:
    ///   - url: The emulator's URL, or that of its page.
    ///   - caFile: A file of certificate authorities to trust; `nil` for that of `nhub emulator --tls`.
    init(url: String, caFile: String?) throws {
        let address = url.firstRange(of: "/$emulator").map { String(url[..<$0.lowerBound]) } ?? url
        endpoint = try UsageError.parsing("URL") {
            try ServiceEndpoint(address, isDevelopmentEmulator: address.lowercased().hasPrefix("http://"))
        }
        transport = try HubSettings.transport(
            maximumConnections: 1, maximumResponseByteCount: Self.maximumResponseByteCount,
            caFile: caFile ?? (endpoint.isDevelopmentEmulator ? nil : EmulatorEnvironment.certificateFile))
        var headers: HubHeaders = [:]
        headers["Authorization"] = try EmulatorSecrets.value(EmulatorSecrets.controlTokenName).map { "Bearer \($0)" }
        self.headers = headers
    }

    /// Returns the response to a GET request below `/$emulator/`.
    ///
    /// - Throws: ``Failure``, or `CancellationError`.
    func get(_ path: String, _ query: String = "") async throws -> JSONObject {
        let request = HubRequest(.get, endpoint: endpoint, path: "/$emulator/\(path)", query: query, headers: headers)
        let response: HubResponse
        do {
            response = try await transport.send(request, timeout: .seconds(30))
        } catch let error as HubTransportError {
            throw Failure(status: nil, description: "cannot reach the emulator at \(endpoint): \(error)")
        }
        if response.status == 401 {
            throw Failure(
                status: 401,
                description:
                    "invalid control token: set \(EmulatorSecrets.controlTokenName) to the token that the emulator "
                    + "printed")
        }
        guard response.status == 200, case .object(let object)? = try? JSONValue(parsing: response.body) else {
            throw Failure(
                status: response.status,
                description: "unexpected response from \(endpoint) to GET /$emulator/\(path) (\(response.status)): "
                    + "expected an emulator of this version")
        }
        return object
    }

    /// An error for an emulator that cannot be reached or rejects a request.
    struct Failure: Error, CustomStringConvertible {
        /// The status of the response; `nil` if there was none.
        let status: Int?
        let description: String
    }
}

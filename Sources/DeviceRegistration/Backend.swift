import NotificationHubs

/// The backend's routes, as requests.
struct Backend: Sendable {
    let address: BackendAddress
    let transport: any HubTransport
    let credential: @Sendable () async throws -> BackendCredential?
    let timeout: Duration

    /// Sends a request with the user's credential.
    ///
    /// - Parameters:
    ///   - path: what stands behind `/api/`.
    ///   - query: what stands behind the path, percent-encoded.
    ///   - body: what the body has as JSON; `nil` for none.
    /// - Returns: the body of a response that says 2xx.
    /// - Throws: ``BackendError``, `CancellationError`, and what the source of the credential throws.
    func send(
        _ method: HubRequest.Method, _ path: String, query: String = "", body: NotificationHub.JSONObject? = nil
    ) async throws -> [UInt8] {
        guard let credential = try await credential() else {
            throw BackendError(.needsAuthentication, detail: "the user has not signed in")
        }
        var request = HubRequest(
            method, endpoint: address.endpoint, path: "\(address.path)/api/\(path)", query: query,
            headers: ["Authorization": credential.headerValue])
        if let body {
            request.headers["Content-Type"] = "application/json; charset=utf-8"
            request.body = NotificationHub.JSONValue.object(body).bytes
        }
        let response: HubResponse
        do {
            response = try await transport.send(request, timeout: timeout)
        } catch let error as HubTransportError {
            throw BackendError(
                error.delivery == .notSent ? .connectionFailed : .mayHaveBeenDone, detail: error.description)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // Its text may have the request in it.
            throw BackendError(.mayHaveBeenDone, detail: "the transport failed with \(type(of: error))")
        }
        guard (200...299).contains(response.status) else { throw BackendError(status: response.status) }
        return response.body
    }
}

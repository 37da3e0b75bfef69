import NotificationHubs

/// One step of `nhub verify`: requests, and what must hold for their responses.
struct VerifyStep: Sendable {
    /// A right of an access policy.
    enum Right: String, CaseIterable, Sendable {
        case listen
        case send
        case manage

        /// The name in messages, such as `Manage`.
        var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
    }

    /// The group and the step, such as `installations/put-apns`.
    let name: String
    /// The rights that the step needs.
    let needs: Set<Right>
    /// Whether the step changes the hub or sends a message.
    let writes: Bool
    /// The number of requests, without those that wait for a write.
    let requestCount: Int
    /// The step that must hold first.
    let requirement: String?
    /// The assumption of the emulator's article that the step tests, by the first cell of its row.
    let assumption: String?
    /// Whether the responses contain only what the run has written. Other bodies are neither compared nor recorded.
    let keepsBodies: Bool
    let action: @Sendable (VerifyRun) async throws -> Void

    init(
        _ name: String, _ needs: Set<Right> = [.listen], writes: Bool = true, requests: Int = 1,
        after requirement: String? = nil,
        assumption: String? = nil, keepsBodies: Bool = true,
        _ action: @escaping @Sendable (VerifyRun) async throws -> Void
    ) {
        (self.name, self.needs, self.writes) = (name, needs, writes)
        (requestCount, self.requirement, self.assumption) = (requests, requirement, assumption)
        (self.keepsBodies, self.action) = (keepsBodies, action)
    }

    /// The part of the name before the slash.
    var group: Substring { name.prefix { $0 != "/" } }

    /// All steps, in order.
    static let all: [VerifyStep] = access + installations + registrations + messages + others + removal

    /// The groups, in order.
    static var groups: [String] {
        all.map { String($0.group) }.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    /// Creates a step that sends one request which the client does not send, and checks its status.
    ///
    /// - Parameters:
    ///   - assumption: The assumption of the emulator's article that the status tests.
    ///   - path: A function of the run that returns the path below the hub.
    ///   - body: A function of the run that returns the body.
    static func probe(
        _ name: String, _ needs: Set<Right> = [.listen], writes: Bool = true, after requirement: String? = nil,
        assuming assumption: String? = nil, expects status: Int, _ method: HubRequest.Method,
        _ path: @escaping @Sendable (VerifyRun) throws -> String, query: String? = "",
        headers: @escaping @Sendable (VerifyRun) -> HubHeaders = { _ in [:] },
        body: @escaping @Sendable (VerifyRun) throws -> String = { _ in "" },
        as credential: VerifyRun.Credential = .valid
    ) -> VerifyStep {
        VerifyStep(name, needs, writes: writes, after: requirement, assumption: assumption) { run in
            let response = try await run.send(
                method, try path(run), query: query, headers: headers(run), body: try body(run), as: credential)
            try response.expect(status)
        }
    }
}

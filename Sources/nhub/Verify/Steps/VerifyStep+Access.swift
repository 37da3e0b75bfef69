import NotificationHubs

extension VerifyStep {
    /// Tokens, rights, and requests that no hub accepts.
    static let access = [
        VerifyStep("access/token", [], writes: false) { run in
            let finding = try await HubProbe(run.hub, name: run.names.run).tokenAndListen().token
            guard finding.value == true else { throw StepFailure(finding.reason) }
        },
        // These steps pass for any policy: the response must be that for a right, or for a missing one.
        right("access/listen", writes: false) { try await $0.tokenAndListen().listen },
        right("access/manage", writes: false) { try await $0.manage() },
        VerifyStep("access/random-tag", [.manage], writes: false) { run in
            for try await _ in run.hub.registrations(.tag(run.names.tag)) { throw StepFailure(VerifyCleanUp.foreign) }
        },
        right("access/send", writes: true) { try await $0.send() },
        probe("access/no-token", [], writes: false, expects: 401, .get, unknownInstallation, as: .none),
        probe("access/wrong-key", [], writes: false, expects: 401, .get, unknownInstallation, as: .wrongKey),
        probe(
            "access/expired-token", [], writes: false, assuming: "Clock skew", expects: 401, .get, unknownInstallation,
            as: .expired),
        probe("access/unknown-resource", writes: false, expects: 404, .get, { _ in "/unknown" }),
        probe(
            "access/no-api-version", writes: false,
            assuming:
                "A missing `api-version` in the query, or one other than 2013-04, 2013-07, 2013-08, 2013-10, 2014-09, 2015-01, "
                + "2015-04, 2015-08, 2016-07, 2017-04 and 2020-06, which appear in documentation, clients and recordings",
            expects: 400, .get, unknownInstallation, query: nil),
        VerifyStep("access/unknown-installation", writes: false) { run in
            try await run.expect(.notFound) { _ = try await run.hub.installation(run.names.installation("unknown")) }
        },
        probe("access/unknown-registration", writes: false, expects: 404, .get, { _ in "/registrations/1-2-3" }),
    ]

    private static func right(
        _ name: String, writes: Bool, _ probe: @escaping @Sendable (HubProbe) async throws -> Finding
    ) -> VerifyStep {
        VerifyStep(name, [], writes: writes) { run in
            let finding = try await probe(HubProbe(run.hub, name: run.names.run))
            guard let value = finding.value else { throw StepFailure(finding.reason) }
            run.remember { memory in
                guard let right = Right(rawValue: String(name.dropFirst("access/".count))) else { return }
                memory.rights[right] = value
            }
        }
    }

    private static let unknownInstallation: @Sendable (VerifyRun) -> String = {
        "/installations/\($0.names.installation("unknown"))"
    }
}

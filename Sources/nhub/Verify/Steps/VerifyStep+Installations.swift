import NotificationHubs

extension VerifyStep {
    /// All writes of a kind come before their reads, so that the run waits for the hub once for each kind.
    static let installations: [VerifyStep] = [
        PushPlatform.all.map(putInstallation), [putInstallationsForPatches, putExpiringInstallation],
        PushPlatform.all.map(readInstallation), [readExpiringInstallation], patches.map(\.write), patches.map(\.read),
        [replaceInstallation, readReplacedInstallation], installationProbes,
    ].flatMap(\.self)

    private static func putInstallation(_ platform: PushPlatform) -> VerifyStep {
        VerifyStep("installations/put-\(platform)") { run in
            try await run.hub.putInstallation(run.installation(platform))
        }
    }

    private static func readInstallation(_ platform: PushPlatform) -> VerifyStep {
        VerifyStep("installations/get-\(platform)", after: "installations/put-\(platform)") { run in
            let sent = run.installation(platform)
            let read = try await run.eventually("the installation") { try await run.hub.installation(sent.id) }
            try expect("the platform", read.pushChannel.platform, platform)
            guard read.pushChannel.hasSameHandle(as: sent.pushChannel) else {
                throw StepFailure("the returned handle differs from the sent one")
            }
            try expect("the user", read.userID, sent.userID)
            try expect("the set of tags", Set(read.tags), Set(sent.tags))
            try expect("the templates", read.templates.mapValues(\.body), sent.templates.mapValues(\.body))
            try expect("the push variables", read.pushVariables, sent.pushVariables)
            try expect("the tiles", read.secondaryTiles.keys.sorted(), sent.secondaryTiles.keys.sorted())
        }
    }

    private static let putExpiringInstallation = VerifyStep("installations/put-expiring") { run in
        var installation = run.device("expiring")
        installation.templates = ["alert": .init(body: VerifyRun.template)]
        installation.expirationTime = run.expiry
        try await run.hub.putInstallation(installation)
    }

    private static let readExpiringInstallation = VerifyStep(
        "installations/get-expiring", after: "installations/put-expiring"
    ) { run in
        let id = run.names.installation("expiring")
        let read = try await run.eventually("the installation") { try await run.hub.installation(id) }
        try expect("the expiration time", read.expirationTime, run.expiry)
    }

    private static let replaceInstallation = VerifyStep(
        "installations/replace", after: "installations/get-apns"
    ) { run in
        var installation = run.installation(.apple)
        installation.tags = [run.names.tag]
        installation.templates = [:]
        try await run.hub.putInstallation(installation)
    }

    private static let readReplacedInstallation = VerifyStep(
        "installations/get-replaced", after: "installations/replace"
    ) { run in
        let read = try await run.eventually("the replaced installation") {
            let read = try await run.hub.installation(run.names.installation("apns"))
            return read.templates.isEmpty ? read : nil
        }
        try expect("the tags", read.tags, [run.names.tag])
    }

    // MARK: Patches

    /// A patch, and the check of the installation that it must result in.
    private struct PatchCase: Sendable {
        let name: String
        let patch: @Sendable (VerifyRun) -> Installation.Patch
        let isDone: @Sendable (Installation, VerifyRun) -> Bool

        init(
            _ name: String, _ patch: @escaping @Sendable (VerifyRun) -> Installation.Patch,
            isDone: @escaping @Sendable (Installation, VerifyRun) -> Bool
        ) {
            (self.name, self.patch, self.isDone) = (name, patch, isDone)
        }

        var write: VerifyStep {
            VerifyStep("installations/patch-\(name)", after: "installations/put-for-patches") { run in
                let id = run.names.installation("patch-\(name)")
                try await run.eventually("the installation") {
                    try await run.hub.updateInstallation(id, with: [patch(run)])
                }
            }
        }

        var read: VerifyStep {
            VerifyStep("installations/get-\(name)", after: "installations/patch-\(name)") { run in
                let id = run.names.installation("patch-\(name)")
                _ = try await run.eventually("the patch") {
                    let read = try await run.hub.installation(id)
                    return isDone(read, run) ? read : nil
                }
            }
        }
    }

    private static let patches = [
        PatchCase("add-tag") {
            .addTag($0.names.secondTag)
        } isDone: {
            $0.tags.contains($1.names.secondTag)
        },
        PatchCase("remove-tag") {
            .removeTag($0.names.secondTag)
        } isDone: {
            !$0.tags.contains($1.names.secondTag)
        },
        PatchCase("set-tags") {
            .setTags([$0.names.tag])
        } isDone: {
            $0.tags == [$1.names.tag]
        },
        PatchCase("set-user") {
            .setUserID($0.names.userID)
        } isDone: {
            $0.userID == $1.names.userID
        },
        PatchCase("remove-user") { _ in
            .removeUserID
        } isDone: { read, _ in
            read.userID == nil
        },
        PatchCase("set-template") { _ in
            .setTemplate("second", .init(body: VerifyRun.template))
        } isDone: { read, _ in
            read.templates["second"]?.body == VerifyRun.template
        },
        PatchCase("remove-template") { _ in
            .removeTemplate("alert")
        } isDone: { read, _ in
            read.templates["alert"] == nil
        },
        PatchCase("change-template") { _ in
            .changeTemplate("alert", .setBody(VerifyRun.changedTemplate))
        } isDone: {
            read, _ in
            read.templates["alert"]?.body == VerifyRun.changedTemplate
        },
        PatchCase("set-channel") {
            .setPushChannel($0.names.channel(.apple, "moved"))
        } isDone: {
            $0.pushChannel.hasSameHandle(as: $1.names.channel(.apple, "moved"))
        },
    ]

    private static let putInstallationsForPatches = VerifyStep(
        "installations/put-for-patches", requests: patches.count
    ) { run in
        for patch in patches {
            var installation = run.device("patch-\(patch.name)")
            installation.templates = ["alert": .init(body: VerifyRun.template)]
            if ["remove-tag", "set-tags"].contains(patch.name) { installation.tags.append(run.names.secondTag) }
            if patch.name == "remove-user" { installation.userID = run.names.userID }
            try await run.hub.putInstallation(installation)
        }
    }

    /// The names of all installations that a run can write.
    static let installationNames =
        PushPlatform.all.map(\.rawValue) + patches.map { "patch-\($0.name)" }
        + ["expiring", "malformed", "path", "body", "odd", "other", "unknown"]

    // MARK: Requests that the client does not send

    private static let installationProbes = [
        probe(
            "installations/malformed", expects: 400, .put, installation("malformed"), headers: json, body: { _ in "{" }),
        probe(
            "installations/other-id", assuming: "An `installationId` that differs from the path", expects: 400, .put,
            installation("path"), headers: json,
            body: { run in
                #"{"installationId":"\#(run.names.installation("body"))","platform":"apns","pushChannel":"AB","tags":["\#(run.names.run)"]}"#
            }),
        probe(
            "installations/odd-token",
            assuming: "An Apple device token other than pairs of hexadecimal digits, which registrations require",
            expects: 400, .put, installation("odd"), headers: json,
            body: { run in
                #"{"installationId":"\#(run.names.installation("odd"))","platform":"apns","pushChannel":"ABC","tags":["\#(run.names.run)"]}"#
            }),
        probe(
            "installations/unknown-platform", assuming: "Undocumented platforms", expects: 400, .put,
            installation("other"),
            headers: json,
            body: { run in
                #"{"installationId":"\#(run.names.installation("other"))","platform":"verify","pushChannel":"AB","tags":["\#(run.names.run)"]}"#
            }),
        probe(
            "installations/patch-unknown", assuming: "PATCH of an unknown ID", expects: 404, .patch,
            installation("unknown"),
            headers: patchType, body: { _ in #"[{"op":"add","path":"/userId","value":"a"}]"# }),
        probe(
            "installations/patch-missing-value", after: "installations/get-expiring",
            assuming: "PATCH that removes a missing value",
            expects: 200, .patch, installation("expiring"), headers: patchType,
            body: { _ in #"[{"op":"remove","path":"/tags/missing"}]"# }),
        probe(
            "installations/patch-expiration", after: "installations/get-expiring",
            assuming: "PATCH of `/pushVariables/…` or `/expirationTime`, or removal of `/pushChannel`", expects: 400,
            .patch,
            installation("expiring"), headers: patchType,
            body: { _ in #"[{"op":"replace","path":"/expirationTime","value":"2099-01-01T00:00:00Z"}]"# }),
        probe(
            "installations/patch-object", after: "installations/get-expiring",
            assuming:
                "PATCH with an object as a template, its headers or a tile; SDKs send a string that contains JSON",
            expects: 400,
            .patch, installation("expiring"), headers: patchType,
            body: { _ in #"[{"op":"add","path":"/templates/object","value":{"body":"{\"aps\":{}}"}}]"# }),
        probe(
            "installations/delete-unknown", assuming: "DELETE of an unknown ID", expects: 204, .delete,
            installation("unknown")),
    ]

    static let json: @Sendable (VerifyRun) -> HubHeaders = { _ in ["Content-Type": "application/json"] }
    private static let patchType: @Sendable (VerifyRun) -> HubHeaders = { _ in
        ["Content-Type": "application/json-patch+json"]
    }

    private static func installation(_ name: String) -> @Sendable (VerifyRun) -> String {
        { "/installations/\($0.names.installation(name))" }
    }
}

extension VerifyRun {
    /// The template of the run's Apple devices.
    static let template = #"{"aps":{"alert":"$(message)"}}"#

    /// The template after its change.
    static let changedTemplate = #"{"aps":{"alert":{"body":"$(message)"}}}"#

    /// An Apple device with the run's tag.
    func device(_ name: String) -> Installation {
        Installation(
            id: names.installation(name), pushChannel: names.channel(.apple, name), tags: [names.tag])
    }

    /// The installation of a platform.
    func installation(_ platform: PushPlatform) -> Installation {
        var installation = Installation(
            id: names.installation("\(platform)"), pushChannel: names.channel(platform), userID: names.userID,
            tags: [names.tag, names.secondTag])
        if platform == .apple {
            installation.templates = ["alert": .init(body: Self.template)]
            installation.pushVariables = ["name": "verify"]
        }
        if platform == .windows {
            installation.secondaryTiles["tile"] = .init(
                pushChannel: names.channel(.windows, "tile").handle, tags: [names.tag])
        }
        return installation
    }
}

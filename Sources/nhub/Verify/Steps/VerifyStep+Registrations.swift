import NotificationHubs

extension VerifyStep {
    static let registrations =
        PushPlatform.all.flatMap {
            [createRegistration($0, isTemplate: false), createRegistration($0, isTemplate: true)]
        }
        + identifiedRegistration + lists + registrationProbes

    private static func createRegistration(_ platform: PushPlatform, isTemplate: Bool) -> VerifyStep {
        let key = "\(platform)" + (isTemplate ? "-template" : "")
        return VerifyStep("registrations/create-\(key)") { run in
            let sent = run.registration(platform, isTemplate: isTemplate)
            let entry = try await run.hub.createRegistration(sent)
            run.remember { $0.registrations[key] = entry }
            try check(entry, sent)
        }
    }

    private static func check(_ entry: Registration.Entry, _ sent: Registration) throws {
        let read = entry.registration
        try expect("the platform", read.pushChannel.platform, sent.pushChannel.platform)
        guard read.pushChannel.hasSameHandle(as: sent.pushChannel) else {
            throw StepFailure("the returned handle differs from the sent one")
        }
        try expect("the set of tags", Set(read.tags), Set(sent.tags))
        try expect("the template", read.template?.body, sent.template?.body)
        try expect("the template's name", read.template?.name, sent.template?.name)
    }

    /// A registration whose ID the client requests first.
    private static let identifiedRegistration = [
        VerifyStep("registrations/create-id") { run in
            let id = try await run.hub.createRegistrationID()
            run.remember { $0.registrationID = id }
        },
        VerifyStep("registrations/put", after: "registrations/create-id") { run in
            let sent = run.registration(.apple, isTemplate: false, "put")
            let id = try run.recall(\.registrationID)
            // Another registration with this ID would be replaced.
            try expect("the existence of a new ID", try await run.hub.registrationExists(id), false)
            let entry = try await run.hub.putRegistration(sent, id: id)
            run.remember { $0.registrations["put"] = entry }
            try check(entry, sent)
        },
        VerifyStep("registrations/get", after: "registrations/put") { run in
            let id = try run.recall(\.registrationID)
            let entry = try await run.eventually("the registration") { try await run.hub.registration(id) }
            try check(entry, run.registration(.apple, isTemplate: false, "put"))
        },
        VerifyStep("registrations/update", after: "registrations/get") { run in
            let entry = try run.recall { $0.registrations["put"] }
            var changed = run.registration(.apple, isTemplate: false, "put")
            changed.tags = [run.names.tag]
            let updated = try await run.hub.updateRegistration(changed, id: entry.id, ifMatch: entry.entityTag)
            try check(updated, changed)
            guard updated.entityTag != entry.entityTag else { throw StepFailure("the entity tag has not changed") }
        },
        outdated("update-outdated") { run, entry in
            _ = try await run.hub.updateRegistration(
                run.registration(.apple, isTemplate: false, "put"), id: entry.id, ifMatch: entry.entityTag)
        },
        outdated("delete-outdated") { run, entry in
            try await run.hub.deleteRegistration(entry.id, ifMatch: entry.entityTag)
        },
        probe(
            "registrations/delete-without-if-match", after: "registrations/get", assuming: "DELETE without `If-Match`",
            expects: 400, .delete, { "/registrations/\(try $0.recall(\.registrationID))" }),
        VerifyStep("registrations/delete", requests: 2, after: "registrations/put") { run in
            let id = try run.recall(\.registrationID)
            try await run.hub.deleteRegistration(id)
            try await run.eventually("the deletion of the registration") {
                try await run.hub.registrationExists(id) ? nil : ()
            }
        },
        probe(
            "registrations/put-deleted", after: "registrations/delete",
            assuming: "PUT to the ID of a deleted registration",
            expects: 410, .put, { "/registrations/\(try $0.recall(\.registrationID))" }, headers: atom,
            body: { apple("<Tags>\($0.names.run)</Tags>", "AB") }),
    ]

    /// A change with the entity tag that the registration had before its update.
    private static func outdated(
        _ name: String, _ change: @escaping @Sendable (VerifyRun, Registration.Entry) async throws -> Void
    ) -> VerifyStep {
        VerifyStep(
            "registrations/\(name)", after: "registrations/update",
            assumption: "`If-Match` that does not match the registration's ETag"
        ) { run in
            let entry = try run.recall { $0.registrations["put"] }
            try await run.expect(.preconditionFailed) { try await change(run, entry) }
        }
    }

    private static let lists = [
        VerifyStep("registrations/list-by-tag", [.listen, .manage], writes: false, after: "registrations/create-apns") {
            run in
            let expected = try run.recall { Set($0.registrations.filter { $0.key != "put" }.map(\.value.id)) }
            _ = try await run.eventually("the list of all registrations with the tag") {
                let found = try await ids(run.hub.registrations(.tag(run.names.registrationTag)))
                return expected.isSubset(of: found) ? found : nil
            }
        },
        VerifyStep(
            "registrations/pages", [.listen, .manage], writes: false, requests: 6, after: "registrations/list-by-tag",
            keepsBodies: false
        ) {
            run in
            let all = try await ids(run.hub.registrations(.tag(run.names.registrationTag)))
            let paged = try await ids(run.hub.registrations(.tag(run.names.registrationTag), pageSize: 7))
            try expect("the number of registrations in pages of 7", paged.count, all.count)
            try expect("the number of different registrations", Set(paged).count, all.count)
        },
        VerifyStep("registrations/list-by-channel", writes: false, after: "registrations/create-apns") { run in
            let expected = try run.recall { $0.registrations["apns"] }.id
            _ = try await run.eventually("the registration of the channel") {
                let found = try await ids(run.hub.registrations(.pushChannel(run.names.channel(.apple))))
                return found.contains(expected) ? found : nil
            }
        },
        VerifyStep("registrations/list-unknown-tag", [.listen, .manage], writes: false) { run in
            let tag = try NotificationHub.Tag(validating: "\(run.names.run)-none")
            try expect("the list of registrations", try await ids(run.hub.registrations(.tag(tag))), [])
        },
        VerifyStep(
            "registrations/filter-operator", [.listen, .manage], writes: false,
            assumption: "`$filter` with an operator other than `eq`, or a name other than that of a handle",
            keepsBodies: false
        ) { run in
            let handle = run.names.channel(.apple).handle
            try await run.send(.get, "/registrations", query: "$top=1&$filter=DeviceToken%20ne%20'\(handle)'").expect(
                400)
        },
    ]

    private static func ids(_ sequence: RegistrationSequence) async throws -> [Registration.ID] {
        var ids: [Registration.ID] = []
        for try await entry in sequence { ids.append(entry.id) }
        return ids
    }

    // MARK: Requests that the client does not send

    private static let registrationProbes = [
        create("malformed", body: { "<entry><Tags>\($0.names.run)</Tags>" }),
        create("dollar-tag", "Tags in a registration that begin with `$`") {
            apple("<Tags>\($0.names.run),$\($0.names.run)</Tags>", "AB")
        },
        create(
            "unknown-element",
            "A required element of a description in a different order than in the contract, or an unknown element: the handle, "
                + "the template's body, and the headers of a Windows template are required"
        ) { run in
            entry(
                "<AppleRegistrationDescription\(namespaces)><Tags>\(run.names.run)</Tags><Verify>1</Verify><DeviceToken>AB</DeviceToken></AppleRegistrationDescription>"
            )
        },
        create("fcm-kind", "`FcmRegistrationDescription`") { run in
            entry(
                "<FcmRegistrationDescription\(namespaces)><Tags>\(run.names.run)</Tags><FcmRegistrationId>verify</FcmRegistrationId></FcmRegistrationDescription>"
            )
        },
        create("odd-token") { apple("<Tags>\($0.names.run)</Tags>", "ABC") },
    ]

    private static func create(
        _ name: String, _ assumption: String? = nil, body: @escaping @Sendable (VerifyRun) -> String
    ) -> VerifyStep {
        probe(
            "registrations/\(name)", assuming: assumption, expects: 400, .post, { _ in "/registrations" },
            headers: atom,
            body: body)
    }

    private static let atom: @Sendable (VerifyRun) -> HubHeaders = { _ in
        ["Content-Type": "application/atom+xml;type=entry;charset=utf-8"]
    }
    private static let namespaces =
        " xmlns:i=\"\(Atom.instanceNamespace)\" xmlns=\"\(Atom.serviceNamespace)\""

    private static func entry(_ description: String) -> String {
        "<entry xmlns=\"http://www.w3.org/2005/Atom\"><content type=\"application/xml\">\(description)</content></entry>"
    }

    private static func apple(_ tags: String, _ token: String) -> String {
        entry(
            "<AppleRegistrationDescription\(namespaces)>\(tags)<DeviceToken>\(token)</DeviceToken></AppleRegistrationDescription>"
        )
    }
}

extension VerifyRun {
    /// The registration of a platform.
    func registration(_ platform: PushPlatform, isTemplate: Bool, _ name: String = "") -> Registration {
        var registration = Registration(
            pushChannel: names.channel(platform, name), tags: [names.tag, names.registrationTag])
        guard isTemplate else { return registration }
        registration.template = .init(body: #"{"message":"$(message)"}"#, name: "verify")
        switch platform {
        case .apple: registration.template?.body = Self.template
        case .fcmV1: registration.template?.body = #"{"message":{"notification":{"body":"$(message)"}}}"#
        case .gcm, .adm: registration.template?.body = #"{"data":{"message":"$(message)"}}"#
        case .baidu: registration.template?.body = #"{"title":"verify","description":"$(message)"}"#
        case .windows:
            registration.template?.body = Self.toast
            registration.template?.headers = ["X-WNS-Type": "wns/toast"]
        case .windowsPhone:
            registration.template?.body = Self.phoneToast
            registration.template?.headers = ["X-WindowsPhone-Target": "toast", "X-NotificationClass": "2"]
        default: break
        }
        return registration
    }

    static let toast =
        #"<toast><visual><binding template="ToastText01"><text id="1">$(message)</text></binding></visual></toast>"#
    static let phoneToast =
        #"<wp:Notification xmlns:wp="WPNotification"><wp:Toast><wp:Text1>$(message)</wp:Text1></wp:Toast></wp:Notification>"#
}

import HubTestSupport
import NotificationHubs
@testable import NotificationHubsEmulator
import SharedAccessSignature
import Testing

/// Tests of registrations through this package's client.
@Suite struct RegistrationServiceTests {
    private let emulator: HubEmulator
    private let hub: NotificationHub
    private let phone = Registration(pushChannel: .apple(deviceToken: [0xab, 0x01]), tags: ["news", "city:berlin"])

    init() throws {
        emulator = HubEmulator(hubName: "push")
        hub = try NotificationHub(
            connectionString: emulator.connectionString, hubName: "push", transport: emulator,
            options: .patient())
    }

    @Test func `creates a registration under a new ID and returns it`() async throws {
        let id = try await hub.createRegistrationID()
        await #expect(throws: HubError.self) { try await hub.registration(id) }
        let written = try await hub.putRegistration(phone, id: id)
        #expect(written.id == id && written.registration == phone && written.entityTag?.rawValue == "1")
        let read = try await hub.registration(id)
        #expect(read.registration == phone)
        #expect(read.expirationTime == nil)
    }

    @Test func `increments the entity tag and rejects a stale one`() async throws {
        let first = try await hub.createRegistration(phone)
        var changed = phone
        changed.tags = ["sports"]
        let second = try await hub.updateRegistration(changed, id: first.id, ifMatch: first.entityTag)
        #expect(second.entityTag?.rawValue == "2" && second.registration == changed)
        await #expect { try await hub.updateRegistration(phone, id: first.id, ifMatch: first.entityTag) } throws: {
            error in
            (error as? HubError)?.code == .preconditionFailed
        }
        await #expect { try await hub.deleteRegistration(first.id, ifMatch: first.entityTag) } throws: { error in
            (error as? HubError)?.code == .preconditionFailed
        }
        #expect(try await hub.updateRegistration(phone, id: first.id, ifMatch: nil).entityTag?.rawValue == "3")
        #expect(try await hub.registration(first.id).registration == phone)
    }

    @Test func `rejects an update of an unknown registration`() async throws {
        let id = try await hub.createRegistrationID()
        await #expect { try await hub.updateRegistration(phone, id: id, ifMatch: nil) } throws: { error in
            (error as? HubError)?.code == .notFound
        }
    }

    @Test func `rejects a write to the ID of a deleted registration`() async throws {
        let entry = try await hub.createRegistration(phone)
        try await hub.deleteRegistration(entry.id)
        try await hub.deleteRegistration(entry.id)
        await #expect { try await hub.registration(entry.id) } throws: { ($0 as? HubError)?.code == .notFound }
        await #expect { try await hub.putRegistration(phone, id: entry.id) } throws: { error in
            (error as? HubError)?.code == .gone
        }
    }

    @Test func `lists all registrations, those of a tag and those of a device in pages`() async throws {
        var ids: Set<Registration.ID> = []
        for number in 0..<7 {
            let channel = PushChannel.fcmV1(registrationToken: "it's \(number % 2) & more")
            let entry = try await hub.createRegistration(
                Registration(pushChannel: channel, tags: [number % 2 == 0 ? "even:true" : "even:false"]))
            ids.insert(entry.id)
        }
        func listed(_ selection: Registration.Selection, pageSize: Int) async throws -> [Registration.ID] {
            var found: [Registration.ID] = []
            for try await entry in hub.registrations(selection, pageSize: pageSize) { found.append(entry.id) }
            return found
        }
        for pageSize in [1, 3, 7, 100] {
            let all = try await listed(.all, pageSize: pageSize)
            #expect(Set(all) == ids && all.count == 7)
        }
        #expect(try await listed(.tag("even:true"), pageSize: 2).count == 4)
        #expect(try await listed(.tag("even"), pageSize: 2).isEmpty)
        #expect(
            try await listed(.pushChannel(.fcmV1(registrationToken: "it's 1 & more")), pageSize: 2).count == 3)
        #expect(try await listed(.pushChannel(.fcmV1(registrationToken: "it's 2 & more")), pageSize: 2).isEmpty)
    }

    @Test func `finds an installation only by the tags and the handle of its last write`() async throws {
        let (first, second) = (PushChannel.apple(deviceToken: [0x01]), PushChannel.apple(deviceToken: [0x02]))
        let id = try Installation.ID(validating: "phone")
        func count(_ selection: Registration.Selection) async throws -> Int {
            var count = 0
            for try await _ in hub.registrations(selection) { count += 1 }
            return count
        }
        try await hub.putInstallation(Installation(id: id, pushChannel: first, tags: ["old", "kept"]))
        for _ in 0..<2 {
            try await hub.putInstallation(Installation(id: id, pushChannel: second, tags: ["kept", "new"]))
            for (tag, expected) in [("old", 0), ("kept", 1), ("new", 1)] {
                #expect(try await count(.tag(.init(validating: tag))) == expected)
            }
            #expect(try await count(.pushChannel(first)) == 0)
            #expect(try await count(.pushChannel(second)) == 1)
        }
        try await hub.deleteInstallation(id)
        for tag in ["old", "kept", "new"] { #expect(try await count(.tag(.init(validating: tag))) == 0) }
        #expect(try await count(.pushChannel(second)) == 0)
    }

    @Test func `finds an Apple device regardless of its token's case`() async throws {
        let lower = PushChannel(platform: .apple, handle: "ab01")
        let entry = try await hub.createRegistration(Registration(pushChannel: lower))
        #expect(entry.registration.pushChannel.handle == "AB01")
        for handle in ["ab01", "AB01"] {
            var count = 0
            for try await _ in hub.registrations(.pushChannel(PushChannel(platform: .apple, handle: handle))) {
                count += 1
            }
            #expect(count == 1)
        }
    }

    @Test func `lists an installation's native registration and one for each template`() async throws {
        var installation = Installation(
            id: try .init(validating: "phone"), pushChannel: .apple(deviceToken: [0xab]), tags: ["news"])
        installation.userID = try .init(validating: "zoe")
        installation.templates = ["alert": .init(body: #"{"aps":{"alert":"$(message)"}}"#)]
        try await hub.putInstallation(installation)
        var entries: [Registration.Entry] = []
        for try await entry in hub.registrations(.installation(installation.id)) { entries.append(entry) }
        #expect(entries.count == 2)
        for entry in entries {
            let tags = entry.registration.tags.map(\.rawValue)
            #expect(tags.starts(with: ["$InstallationId:{phone}", "$UserId:{zoe}", "news"]))
            #expect(tags.contains("alert") == (entry.registration.template != nil))
            #expect(try await hub.registration(entry.id) == entry)
        }
    }

    @Test func `deletes the registrations of an installation one by one`() async throws {
        var installation = Installation(
            id: try .init(validating: "phone"), pushChannel: .apple(deviceToken: [0xab]), tags: ["news"])
        installation.templates = ["alert": .init(body: #"{"aps":{"alert":"$(message)"}}"#)]
        try await hub.putInstallation(installation)
        var entries: [Registration.Entry] = []
        for try await entry in hub.registrations(.installation(installation.id)) { entries.append(entry) }
        let native = try #require(entries.first { $0.registration.template == nil })
        let template = try #require(entries.first { $0.registration.template != nil })

        try await hub.deleteRegistration(native.id)
        #expect(try await hub.installationExists(installation.id))
        #expect(try await hub.registration(template.id) == template)
        await #expect(throws: HubError.self) { try await hub.registration(native.id) }
        _ = try await hub.send(.apple("{}"), to: .tag("news"))
        #expect(emulator.deliveries.isEmpty)
        _ = try await hub.send(.template(["message": "m"]), to: .tag("news"))
        #expect(emulator.deliveries.count == 1)

        try await hub.putInstallation(installation)
        #expect(try await hub.registration(native.id) == native)
        try await hub.deleteRegistration(native.id)
        try await hub.deleteRegistration(template.id)
        #expect(try await !hub.installationExists(installation.id))
    }

    /// Puts an installation of zoe with a template.
    private func putPhone() async throws {
        var installation = Installation(
            id: "phone", pushChannel: .apple(deviceToken: [0xab, 1]), userID: "zoe", tags: ["news"])
        installation.templates["alert"] = .init(body: #"{"aps":{"alert":"$(message)"}}"#)
        try await hub.putInstallation(installation)
    }

    // Microsoft's SDKs for JavaScript and .NET list by tag, add a tag and update.
    @Test(arguments: [true, false]) func `updates a registration of an installation`(ifMatch: Bool) async throws {
        try await putPhone()
        let entries = try await hub.registrations(.tag("news")).reduce(into: []) { $0.append($1) }
        #expect(entries.count == 2)
        for entry in entries {
            var changed = entry.registration
            changed.tags.append("added")
            let updated =
                ifMatch
                ? try await hub.updateRegistration(changed, id: entry.id, ifMatch: entry.entityTag)
                : try await hub.putRegistration(changed, id: entry.id)
            #expect(updated.id == entry.id)
            #expect(updated.entityTag?.rawValue == "2")
        }
        let all = try await hub.registrations(.all).reduce(into: []) { $0.append($1) }
        #expect(all.map(\.id) == entries.map(\.id))
        #expect(all.allSatisfy { $0.registration.tags.contains("added") && $0.entityTag?.rawValue == "2" })
        // The service's own tags remain.
        #expect(all.allSatisfy { $0.registration.tags.map(\.rawValue).contains("$UserId:{zoe}") })

        // The registration receives messages for its new tag.
        try await hub.send(.apple(#"{"aps":{"alert":"Hello"}}"#), to: .tag("added"))
        try await hub.send(.template(["message": "Hi"]), to: .tag("added"))
        #expect(emulator.deliveries.map(\.body) == [#"{"aps":{"alert":"Hello"}}"#, #"{"aps":{"alert":"Hi"}}"#])
        #expect(emulator.deliveries.allSatisfy { $0.installationID == "phone" })
        #expect(emulator.deliveries.map(\.tags) == [["news", "added"], ["news", "alert", "added"]])

        // A snapshot keeps the update.
        let copy = HubEmulator(hubName: "push", policies: emulator.policies)
        try copy.restore(from: emulator.snapshot())
        let restored = try await copy.makeClient().registrations(.tag("added")).reduce(into: []) { $0.append($1) }
        #expect(restored == all)

        // The next write of the installation creates its registrations again.
        try await putPhone()
        #expect(try await hub.registrations(.tag("added")).reduce(into: 0) { count, _ in count += 1 } == 0)
    }

    @Test func `counts the registrations that a list contains`() async throws {
        func expectCount(_ expected: Int) async throws {
            let listed = try await hub.registrations(.all).reduce(into: 0) { count, _ in count += 1 }
            #expect(listed == expected && emulator.usage.registrationCount == expected)
        }
        try await expectCount(0)
        _ = try await hub.createRegistration(phone)
        try await putPhone()
        var desktop = Installation(id: "desktop", pushChannel: PushChannel(platform: .windows, handle: "device"))
        for name in ["first", "second"] {
            desktop.secondaryTiles[name] = .init(
                pushChannel: name,
                templates: ["alert": .init(body: "<toast>$(message)</toast>", headers: ["X-WNS-Type": "wns/toast"])])
        }
        try await hub.putInstallation(desktop)
        try await expectCount(8)

        // An expired tile has no registrations.
        emulator.expire(PushChannel(platform: .windows, handle: "first"))
        try await hub.send(.template(["message": "Hi"]), to: .everyone)
        try await expectCount(6)

        // Deleted registrations are not counted.
        let entry = try #require(try await hub.registrations(.tag("news")).first { $0.registration.template != nil })
        try await hub.deleteRegistration(entry.id)
        try await expectCount(5)
        let copy = HubEmulator(hubName: "push")
        try copy.restore(from: emulator.snapshot())
        #expect(copy.usage.registrationCount == 5)

        // A write creates the registrations again, and replaces those of the former write.
        for _ in 0..<2 {
            try await putPhone()
            try await expectCount(6)
        }
        try await hub.updateInstallation("phone", with: [.setTemplate("other", .init(body: "{}"))])
        try await expectCount(7)
        emulator.expire(.apple(deviceToken: [0xab, 1]))
        try await hub.send(.template(["message": "Hi"]), to: .everyone)
        try await expectCount(3)
        try await hub.deleteInstallation("desktop")
        try await expectCount(0)
        emulator.reset()
        try await putPhone()
        try await expectCount(2)
    }

    @Test func `rejects a stale entity tag for a registration of an installation`() async throws {
        try await putPhone()
        let entry = try #require(try await hub.registrations(.tag("news")).first { _ in true })
        _ = try await hub.updateRegistration(entry.registration, id: entry.id, ifMatch: entry.entityTag)
        await #expect {
            try await hub.updateRegistration(entry.registration, id: entry.id, ifMatch: entry.entityTag)
        } throws: {
            ($0 as? HubError)?.code == .preconditionFailed
        }
    }

    @Test func `never has two registrations with one ID`() async throws {
        try await putPhone()
        let entries = try await hub.registrations(.all).reduce(into: []) { $0.append($1) }
        try await hub.deleteInstallation("phone")
        for entry in entries {
            // The installation no longer exists, so the ID is free.
            _ = try await hub.putRegistration(phone, id: entry.id)
        }
        try await putPhone()
        let ids = try await hub.registrations(.all).reduce(into: []) { $0.append($1.id) }
        #expect(ids.count == 2 && Set(ids).count == 2)
        try await hub.deleteRegistration(ids[0])
        await #expect { try await hub.putRegistration(phone, id: ids[0]) } throws: { ($0 as? HubError)?.code == .gone }
    }

    @Test(arguments: ["$UserId:{bob}", "$InstallationId:{bob}", "$other"])
    func `rejects a tag that only the service adds`(tag: String) async throws {
        try await putPhone()
        let entry = try #require(try await hub.registrations(.tag("news")).first { _ in true })
        for id in [nil, entry.id] {
            let response = try await emulator.write(
                "<Tags>\(tag)</Tags><DeviceToken>AB02</DeviceToken>", kind: "AppleRegistrationDescription", id: id)
            #expect(response.status == 400)
            #expect(response.text.contains("cannot begin with '$'"), "\(response.text)")
        }
    }

    @Test func `rejects push variables that XML cannot contain`() async throws {
        let response = try await emulator.write(
            #"<PushVariables>{"a":"\uffff"}</PushVariables><DeviceToken>AB01</DeviceToken>"#,
            kind: "AppleRegistrationDescription", id: nil)
        #expect(response.status == 400)
        #expect(response.text.contains("PushVariables contains a character that XML does not allow"))
        #expect(try await hub.registrations(.all).reduce(into: 0) { count, _ in count += 1 } == 0)
    }

    @Test func `limits the tags of a registration over all its writes`() async throws {
        let id = try Registration.ID(validating: "1-1-1")
        let put = { (tags: [String]) in
            try await emulator.write(
                "<Tags>\(tags.joined(separator: ","))</Tags><DeviceToken>AB01</DeviceToken>",
                kind: "AppleRegistrationDescription", id: id
            ).status
        }
        let tags = (1...61).map { "t\($0)" }
        #expect(try await put(Array(tags.prefix(60))) == 200)
        #expect(try await put(tags) == 400)
        #expect(try await put(Array(repeating: "t1", count: 61)) == 400)
        #expect(try await put(Array(tags.suffix(60))) == 200)
    }

    @Test func `writes back the tags of an installation's registration, and no more`() async throws {
        let tags = (1...60).map { NotificationHub.Tag(unchecked: "t\($0)") }
        let template = Installation.Template(body: "{}", tags: ["t1", "t2"])
        try await hub.putInstallation(
            Installation(id: "phone", pushChannel: phone.pushChannel, tags: tags, templates: ["a b": template]))
        for entry in try await hub.registrations(.all).reduce(into: [], { $0.append($1) }) {
            let tags = entry.registration.tags.map(\.rawValue)
            let isTemplate = entry.registration.template != nil
            let write = { (tags: [String]) in
                try await emulator.write(
                    "<Tags>\(tags.joined(separator: ","))</Tags><DeviceToken>AB01</DeviceToken>"
                        + (isTemplate ? "<BodyTemplate>{}</BodyTemplate>" : ""),
                    kind: isTemplate ? "AppleTemplateRegistrationDescription" : "AppleRegistrationDescription",
                    id: entry.id)
            }
            #expect(try await write(tags).status == 200)
            #expect(try await write(tags + ["another"]).text.contains("too many tags"))
            #expect(try await write((1...61).map { "u\($0)" }).status == 400)
            #expect(try await hub.registration(entry.id).registration.tags.map(\.rawValue) == tags)
        }
    }

    @Test func `fills a template with the push variables of its registration's update`() async throws {
        let body = #"{"aps":{"alert":"$(name)"}}"#
        try await hub.putInstallation(
            Installation(
                id: "phone", pushChannel: phone.pushChannel, pushVariables: ["name": "A"],
                templates: ["alert": .init(body: body, tags: ["news"])]))
        let entry = try #require(try await hub.registrations(.tag("news")).first { _ in true })
        var changed = entry.registration
        changed.pushVariables = ["name": "B"]
        _ = try await hub.putRegistration(changed, id: entry.id)
        try await hub.send(.template([:]), to: .tag("news"))
        #expect(emulator.deliveries.map(\.body) == [#"{"aps":{"alert":"B"}}"#])
    }

    @Test func `gives the parts of an installation different registrations`() async throws {
        let template = Installation.Template(body: "<toast/>", headers: ["X-WNS-Type": "wns/toast"])
        let uri = "https://db3.notify.windows.com/?token="
        var installation = Installation(
            id: "pc", pushChannel: .windows(channelURI: uri + "1"), templates: ["a/b": template, "/b": template])
        installation.secondaryTiles["b"] = .init(pushChannel: uri + "2", templates: ["a": template])
        try await hub.putInstallation(installation)
        let ids = try await hub.registrations(.all).reduce(into: []) { $0.append($1.id) }
        #expect(ids.count == 5 && Set(ids).count == 5)
    }

    @Test(arguments: [
        "Endpoint eq 'https://a.example'", "P256DH eq 'B' and Endpoint eq 'https://a.example'",
        "ChannelUri eq 'https://a.example'",
    ])
    func `finds a browser by its endpoint in the index`(filter: String) throws {
        #expect(try RegistrationFilter(filter).indexedHandle == "https://a.example")
    }

    @Test(arguments: ["FcmRegistrationDescription", "FcmTemplateRegistrationDescription"])
    func `rejects a kind that the service does not have`(kind: String) async throws {
        let response = try await emulator.write(
            "<FcmRegistrationId>a</FcmRegistrationId><BodyTemplate>{}</BodyTemplate>", kind: kind, id: nil)
        #expect(response.status == 400)
        #expect(response.text.contains("use GcmRegistrationDescription or FcmV1RegistrationDescription"))
    }

    @Test func `finds a Baidu device by the name that its app sends`() async throws {
        let channel = PushChannel.baidu(userID: "user", channelID: "channel")
        let entry = try await hub.createRegistration(Registration(pushChannel: channel))
        for (filter, count) in [
            ("BaiduUserId-BaiduChannelId eq 'user-channel'", 1), ("BaiduUserId-BaiduChannelId eq 'user'", 0),
        ] {
            let response = try await emulator.get("/registrations", filter: filter)
            #expect(response.status == 200)
            #expect(response.text.contains(entry.id.rawValue) == (count == 1))
        }
    }

    @Test func `warns about a filter that is encoded twice`() async throws {
        _ = try await emulator.get("/registrations", filter: "ChannelUri eq 'https%3A%2F%2Fa'")
        #expect(
            emulator.warnings.map(\.text) == [
                "GET registrations: the value of $filter is percent-encoded twice, so no device matches"
            ])
    }

    @Test func `increments the entity tag of an installation's registrations with each patch`() async throws {
        let installation = Installation(id: try .init(validating: "phone"), pushChannel: .apple(deviceToken: [0xab]))
        func entityTags() async throws -> [String?] {
            var tags: [String?] = []
            for try await entry in hub.registrations(.installation(installation.id)) {
                tags.append(entry.entityTag?.rawValue)
            }
            return tags
        }
        try await hub.putInstallation(installation)
        #expect(try await entityTags() == ["1"])
        try await hub.updateInstallation(installation.id, with: [.addTag("a")])
        try await hub.updateInstallation(installation.id, with: [.addTag("b")])
        #expect(try await entityTags() == ["3"])
        try await hub.putInstallation(installation)
        #expect(try await entityTags() == ["1"])
    }

    @Test func `sends native messages to native registrations and template messages to templates`() async throws {
        let native = try await hub.createRegistration(phone)
        let template = try await hub.createRegistration(
            Registration(
                pushChannel: .apple(deviceToken: [0xcd]), tags: ["news"], pushVariables: ["name": "Zoe"],
                template: .init(
                    body: #"{"aps":{"alert":"{'Hello, ' + $(name) + ': ' + $(message)}"}}"#, priority: "5")))
        _ = try await hub.send(.template(["message": "hi"]), to: .tag("news"))
        _ = try await hub.send(.apple(#"{"aps":{"alert":"native"}}"#), to: .tag("city:berlin"))
        _ = try await hub.send(.template(["message": "unused"]), to: .tag("unused"))
        #expect(emulator.deliveries.map(\.registrationID) == [template.id, native.id])
        #expect(
            emulator.deliveries.map(\.body) == [#"{"aps":{"alert":"Hello, Zoe: hi"}}"#, #"{"aps":{"alert":"native"}}"#])
        #expect(emulator.deliveries[0].headers["apns-priority"] == "5")
        #expect(emulator.deliveries.allSatisfy { $0.installationID == nil })
    }

    @Test func `removes registrations in a reset`() async throws {
        let entry = try await hub.createRegistration(phone)
        emulator.reset()
        await #expect { try await hub.registration(entry.id) } throws: { ($0 as? HubError)?.code == .notFound }
        _ = try await hub.putRegistration(phone, id: entry.id)
    }
}

extension HubEmulator {
    /// Sends a registration's description.
    fileprivate func write(_ elements: String, kind: String, id: Registration.ID?) async throws -> HubResponse {
        let body = """
            <entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><\(kind) \
            xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">\(elements)</\(kind)></content></entry>
            """
        return try call(id == nil ? .post : .put, "/registrations" + (id.map { "/\($0)" } ?? ""), "", body)
    }

    fileprivate func get(_ path: String, filter: String) async throws -> HubResponse {
        let encoded = filter.replacing("%", with: "%25").replacing(" ", with: "%20")
        return try call(.get, path, "&$filter=\(encoded)", "")
    }

    private func call(_ method: HubRequest.Method, _ path: String, _ query: String, _ body: String) throws
        -> HubResponse
    {
        let endpoint = try ServiceEndpoint("http://127.0.0.1:80", isDevelopmentEmulator: true)
        let signer = SASSigner(
            key: SharedAccessKey(name: policies[0].name, secret: policies[0].key), resource: "\(endpoint)/push")
        return respond(
            to: HubRequest(
                method, endpoint: endpoint, path: "/push" + path, query: "api-version=2020-06" + query,
                headers: ["Authorization": signer.token(validFor: .seconds(60), now: seconds).headerValue],
                body: Array(body.utf8)))
    }
}

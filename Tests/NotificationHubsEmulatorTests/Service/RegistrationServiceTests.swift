import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
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

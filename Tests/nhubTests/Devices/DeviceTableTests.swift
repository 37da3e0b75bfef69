import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@testable import nhub

/// Installations as comma-separated values.
@Suite(.timeLimit(.minutes(30))) struct DeviceTableTests {
    private static let header = "installationId,platform,pushChannel,userId,tags,template:alert\r\n"
    private static let subscription = PushChannel.browser(
        .init(endpoint: "https://push.example.com/1", p256dh: "BPk", auth: "sesame"))

    /// A device that a table with the template `alert` can contain.
    private static func phone(_ number: Int) -> Installation {
        var phone = Installation(
            id: Installation.ID(number),
            pushChannel: number % 7 == 0 ? subscription : .fcmV1(registrationToken: "token,\"\(number)\""))
        if number % 2 == 0 { phone.userID = "zoe@contoso.com" }
        phone.tags = (0..<number % 4).map { NotificationHub.Tag(unchecked: "tag:\($0)") }
        if number % 3 == 0 {
            phone.templates["alert"] = .init(body: "{\"data\":{\"m\":\"$(m)\"},\n\"n\":\"\(number)\"}")
        }
        return phone
    }

    @Test func `writes a file from which an import restores the hub`() async throws {
        let scene = try await DeviceScene((1...120).map(Self.phone))
        defer { scene.remove() }
        let outcome = try await scene.run("export", "devices.csv", "--format", "csv", "--template", "alert")
        #expect(outcome.status == 0 && outcome.messages == "")
        #expect(outcome.output == "exported  120 installations, 0 registrations\n")
        let other = try await DeviceScene()
        defer { other.remove() }
        let imported = try await other.run("import", "--format", "csv", scene.path("devices.csv"))
        #expect(imported.output.hasPrefix("120 put"), "\(imported.error)")
        #expect(other.emulator.installations == scene.emulator.installations)
    }

    @Test func `restores many devices from their records`() throws {
        let table = DeviceTable(templates: ["alert"])
        for number in 1...representativeCount(10_000) {
            let phone = Self.phone(number)
            let bytes = try table.record(of: phone).bytes
            let json = try table.json(of: CSVRecord(Array(bytes.dropLast(2))))
            #expect(try Installation(json: JSONValue.object(json).bytes) == phone)
        }
    }

    @Test func `names the members that a record cannot contain`() throws {
        func problem(_ change: (inout Installation) -> Void) -> String? {
            var phone = Installation(id: "phone", pushChannel: .gcm(registrationID: "token"))
            change(&phone)
            do {
                _ = try DeviceTable(templates: ["alert"]).record(of: phone)
                return nil
            } catch {
                return error.description
            }
        }
        #expect(problem { $0.tags = ["a", "b"] } == nil)
        #expect(problem { $0.tags = [NotificationHub.Tag(unchecked: "a;b")] } == "tags")
        #expect(problem { $0.pushVariables = ["name": "Zoe"] } == "pushVariables")
        #expect(problem { $0.templates["alert"] = .init(body: "{}") } == nil)
        #expect(problem { $0.templates["b"] = .init(body: "{}") } == "templates (pass --template b)")
        #expect(
            problem { $0.templates["alert"] = .init(body: "{}", headers: ["apns-priority": "5"]) }
                == "headers, tags or expiry of templates")
        let other = #"{"installationId":"phone","platform":"gcm","pushChannel":"token","model":"X"}"#
        #expect(problem { $0 = (try? Installation(json: other.utf8)) ?? $0 } == "model")
        #expect(problem { $0.secondaryTiles["t"] = .init(pushChannel: "https://example.com") } == "secondaryTiles")
    }

    @Test func `omits devices that a CSV file cannot contain, with a warning and a failure`() async throws {
        let scene = try await DeviceScene(
            DeviceScene.phones(3) + [Self.phone(1001)], [Registration(pushChannel: .apple(deviceToken: [0xab]))])
        defer { scene.remove() }
        let outcome = try await scene.run("export", "devices.csv", "--format", "csv", "--json")
        #expect(outcome.status == 1)
        #expect(outcome.output.hasPrefix(#"{"installations":1,"registrations":0,"omitted":4,"#), "\(outcome.output)")
        #expect(
            outcome.messages == """
                nhub: warning: 3 devices: omitted, not supported by --format csv: templates (pass --template t)
                nhub: warning: 1 device: omitted, not supported by --format csv: registrations without an installation \
                (use --format json)

                """)
    }

    @Test func `resumes an export without repeating a device`() async throws {
        let scene = try await DeviceScene((1...210).map(Self.phone))
        defer { scene.remove() }
        let words = ["export", "devices.csv", "--format", "csv", "--template", "alert"]
        let limit = scene.counting.requestCount + 150
        let killed = try await scene.shell("exec \"$0\" \"$@\"", words) {
            scene.counting.send(SIGKILL, to: $0, after: limit)
        }
        #expect(killed.status == SIGKILL)
        let other = try await scene.run("export", "devices.csv", "--format", "csv")
        #expect(other.status == 2, "the journal is that of other columns")
        #expect(try await scene.shell("exec \"$0\" \"$@\"", words).status == 0)
        let hub = try await DeviceScene()
        defer { hub.remove() }
        let imported = try await hub.run("import", "--format", "csv", scene.path("devices.csv"))
        #expect(imported.output.hasPrefix("210 put"))
        #expect(hub.emulator.installations == scene.emulator.installations)
    }

    @Test func `imports a file that a spreadsheet has written`() async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        // A byte order mark, other columns, names in any case, aliases of platforms, blank lines, and LF.
        let text =
            "\u{feff}Platform,InstallationID,Tags,PushChannel\nios,phone-1,\"news;sports\",00AB\n\nandroid,phone-2,,token\n"
        try scene.write(text, to: "devices.csv")
        let outcome = try await scene.run("import", "devices.csv", "--format", "csv")
        #expect(outcome.status == 0 && outcome.output.hasPrefix("2 put"), "\(outcome.error)")
        let phones = scene.emulator.installations.sorted { $0.id < $1.id }
        #expect(phones.map(\.pushChannel.platform) == [.apple, .fcmV1])
        #expect(phones.first?.tags == ["news", "sports"] && phones.last?.tags == [])
    }

    @Test func `names the line and the column of each error`() async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        let body = "\"{\"\"data\"\":{}}\r\n\""
        let text =
            Self.header
            + "phone-1,fcmv1,token,,,\(body)\r\na/b,fcmv1,token,,,\r\nphone-2,fcmv1\r\nphone-3,fcmv1,to\"ken,,,\r\n"
            + "phone-4,apns,zz,,,\r\nphone-5,fcmv1,token,,,\"open\r\n"
        try scene.write(text, to: "devices.csv")
        let outcome = try await scene.run("import", "devices.csv", "--format", "csv")
        #expect(outcome.status == 1 && outcome.output.hasPrefix("1 put, 5 failed"), "\(outcome.output)")
        let errors = try #require(scene.lines(of: "devices.csv.failures.csv")).filter { $0.hasPrefix("#") }
        let expected = [
            "# record 3, line 4: column 1: installationId: an installation's ID contains an invalid character",
            "# record 4, line 5: expected 6 fields, as in the header; got 2",
            "# record 5, line 6: column 3: a quotation mark in a field that is not quoted",
            "# record 6, line 7: an Apple device token must consist",
            "# record 7, line 8: column 6: the closing quotation mark is missing (the record extends to the end of the file)",
        ]
        for (error, start) in zip(errors.sorted(), expected) { #expect(error.hasPrefix(start), "\(error)") }
    }

    @Test(arguments: [
        ("", "missing column installationId"), ("installationId,platform\r\n", "missing column pushChannel"),
        ("installationId;platform;pushChannel\r\n", "must be separated by commas"),
        ("installationId,platform,pushChannel,Colour\r\n", "column 4: unknown name \"Colour\""),
        ("installationId,platform,pushChannel,TAGS,tags\r\n", "column 5: duplicate column \"tags\""),
        ("installationId,platform,pushChannel,template:\r\n", "column 4: unknown name"),
        ("installationId,platform,\"pushChannel\r\n", "column 3: the closing quotation mark is missing"),
    ])
    func `rejects an invalid header before anything is sent`(text: String, message: String) async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        try scene.write(text + "phone-1,apns,00,,\r\n".dropFirst(text.isEmpty ? 99 : 0), to: "devices.csv")
        let outcome = try await scene.run("import", "devices.csv", "--format", "csv")
        #expect(outcome.status == 3)
        #expect(outcome.error.contains("devices.csv: line 1: ") && outcome.error.contains(message), "\(outcome.error)")
        #expect(scene.lines(of: "devices.csv.journal") == nil && scene.counting.requestCount == 0)
    }

    @Test func `rejects the journal of an import in another format`() async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        let lines = (1...40).map { "phone-\($0),fcmv1,token-\($0)\r\n" }
        try scene.write("installationId,platform,pushChannel\r\n" + lines.joined(), to: "devices.csv")
        #expect(try await scene.runKilled("import", "devices.csv", "--format", "csv", after: 20).status == SIGKILL)
        let other = try await scene.run("import", "devices.csv")
        #expect(other.status == 2 && other.error.contains("an import in another format"), "\(other.error)")
        let outcome = try await scene.run("import", "devices.csv", "--format", "csv")
        #expect(outcome.status == 0 && outcome.output.hasPrefix("40 put"), "\(outcome.error)")
        #expect(scene.emulator.installations.count == 40)
    }

    @Test func `resumes an export that ended before its first page`() async throws {
        let scene = try await DeviceScene((1...3).map(Self.phone))
        defer { scene.remove() }
        scene.emulator.faults = try .init([.init("GET /registrations status=401")])
        let words = ["export", "devices.csv", "--format", "csv", "--template", "alert"]
        #expect(try await scene.shell("exec \"$0\" \"$@\"", words).status == 1)
        scene.emulator.faults = .init([])
        #expect(try await scene.shell("exec \"$0\" \"$@\"", words).status == 0)
        #expect(scene.lines(of: "devices.csv")?.first?.hasPrefix("installationId,") == true)
    }

    @Test func `reports a line that is too long, also if it starts with spaces`() async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        try scene.write(String(repeating: " ", count: 1 << 18) + "{}\n", to: "devices.jsonl")
        #expect(try await scene.run("import", "devices.jsonl").output.hasPrefix("0 put, 1 failed"))
    }

    @Test func `reads a file from standard input`() async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        let empty = try await scene.shell("exec \"$0\" import - --format csv")
        #expect(empty.status == 3 && empty.error.contains("missing column installationId"), "\(empty.error)")
        let outcome = try await scene.shell(
            "exec \"$0\" import - --format csv", input: Self.header + "phone-1,fcmv1,token,,,\r\n")
        #expect(outcome.status == 0 && outcome.output.hasPrefix("1 put"), "\(outcome.error)")
    }
}

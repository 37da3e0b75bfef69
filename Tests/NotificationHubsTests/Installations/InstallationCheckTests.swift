import HubTestSupport
import NotificationHubs
import Testing

@Suite struct InstallationCheckTests {
    let installation: Installation

    init() throws {
        installation = Installation(id: try .init(validating: "i"), pushChannel: .apple(deviceToken: [1]))
    }

    @Test(arguments: ["a", "A9", "-_@#.:=", "zoe@example.com", String(repeating: "x", count: 500)])
    func `accepts a valid user ID`(text: String) throws {
        #expect(try Installation.UserID(validating: text).rawValue == text)
    }

    @Test(arguments: ["", " ", "a b", "a,b", "a}b", "$UserId:{a}", "a||b", "é", "a\n", "a/b", "a+b"])
    func `rejects an invalid user ID`(text: String) {
        #expect(throws: HubValidationError.self) { try Installation.UserID(validating: text) }
    }

    @Test(arguments: ["a", "Template Name", "a/b~c", "é", String(repeating: "x", count: 200)])
    func `accepts a valid template name`(text: String) throws {
        #expect(try Installation.Template.Name(validating: text).rawValue == text)
    }

    @Test(arguments: [
        "", "a:b", ":", String(repeating: "x", count: 201), String(repeating: "👍", count: 101),
        "a" + String(repeating: "\u{301}", count: 200),
    ])
    func `rejects an invalid template name`(text: String) {
        let error = #expect(throws: HubValidationError.self) { try Installation.Template.Name(validating: text) }
        #expect(error?.code == .invalidTemplate)
    }

    @Test func `accepts 60 tags and rejects 61`() async throws {
        var installation = installation
        installation.tags = try (0..<60).map { try NotificationHub.Tag(validating: "tag-\($0)") }
        #expect(try await bodyOfPut(installation).contains("tag-59"))
        installation.tags.append("one-more")
        #expect(try await expectNotSent(installation)?.contains("61 tags") == true)
    }

    @Test func `reports the path of an invalid template`() async throws {
        let many = try (0..<61).map { try NotificationHub.Tag(validating: "tag-\($0)") }
        for template in [
            Installation.Template(body: "{}", tags: many), Installation.Template(body: "{}", headers: ["a b": "c"]),
            Installation.Template(body: "{}", headers: ["a": "b\r\nc: d"]),
        ] {
            var installation = installation
            installation.templates["alert"] = template
            #expect(try await expectNotSent(installation)?.hasPrefix("templates/alert/") == true)
        }
    }

    @Test func `validates values from the service before sending them back`() async throws {
        let members = [
            #""tags":["a,b"]"#, #""userId":"a b""#, #""templates":{"a:b":{"body":"{}"}}"#,
            #""templates":{"t":{"body":"{}","tags":["a b"]}}"#,
            #""secondaryTiles":{"t":{"pushChannel":""}}"#, #""secondaryTiles":{"":{"pushChannel":"c"}}"#,
            #""secondaryTiles":{"t":{"pushChannel":"c","tags":["a,b"]}}"#,
            #""secondaryTiles":{"t":{"pushChannel":"c","templates":{"a:b":{"body":"b"}}}}"#,
        ]
        for member in members {
            let json = #"{"installationId":"i","platform":"wns","pushChannel":"c",\#(member)}"#
            try await expectNotSent(try Installation(json: json.utf8))
        }
    }

    @Test(.blocking) func `traps on an invalid name literal`() async {
        await #expect(processExitsWith: .failure) { _ = "a:b" as Installation.Template.Name }
    }
}

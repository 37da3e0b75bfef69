import NotificationHubs
import Testing

@Suite struct TagTests {
    @Test(arguments: ["a", "news", "A_b@c#d.e:f-9", String(repeating: "x", count: 120)])
    func `takes the service's characters`(text: String) throws {
        #expect(try NotificationHub.Tag(validating: text).rawValue == text)
    }

    @Test(arguments: [
        "", " ", "a b", "a||b", "!a", "(a)", "a,b", "$InstallationId:{1}", "ö", "a\n", "a\"",
        String(repeating: "x", count: 121),
    ])
    func `takes no other, and nothing that could change an expression`(text: String) {
        #expect(throws: HubValidationError.self) { try NotificationHub.Tag(validating: text) }
    }

    @Test func `are checked when decoded`() throws {
        #expect(try JSON.decode([NotificationHub.Tag].self, from: Array(#"["news"]"#.utf8)) == ["news"])
        let error = #expect(throws: DecodingError.self) {
            try JSON.decode([NotificationHub.Tag].self, from: Array(#"["news","a b"]"#.utf8))
        }
        #expect(error.map { "\($0)".contains("at byte 1") } == true)
    }

    @Test func `are compared by their bytes`() throws {
        let tags = try JSONTags.decode("[\"e\u{301}\", \"\u{e9}\"]")
        #expect(tags[0] != tags[1])
        #expect(Set(tags).count == 2)
    }
}

@Suite struct NameTests {
    @Test(arguments: ["a", "push-hub_1.x", "12345"])
    func `a hub and an installation have names of letters, digits and three marks`(text: String) throws {
        #expect(try NotificationHub.Name(validating: text).rawValue == text)
        #expect(try Installation.ID(validating: text).rawValue == text)
    }

    @Test func `an installation's id is checked where it is decoded, too`() throws {
        let id = try Installation.ID(validating: "a-1")
        #expect(try JSON.decode([Installation.ID].self, from: JSON.encode([id])) == [id])
        #expect(throws: DecodingError.self) { try JSON.decode([Installation.ID].self, from: Array(#"["a/b"]"#.utf8)) }
    }

    @Test func `an installation's new id is one that nobody else has`() throws {
        let id = Installation.ID.random()
        #expect(try Installation.ID(validating: id.rawValue) == id)
        #expect(id != Installation.ID.random())
    }

    @Test(arguments: [
        "", "a/b", "..", ".", "a b", "a:b", "a%2fb", "ö", "a?b", "a\r\nb", String(repeating: "x", count: 261),
    ])
    func `and no other`(text: String) {
        #expect(throws: HubValidationError.self) { try NotificationHub.Name(validating: text) }
        #expect(throws: HubValidationError.self) { try Installation.ID(validating: text) }
    }
}

@Suite struct PlatformTests {
    @Test func `are compared without regard to case`() {
        #expect(PushPlatform(rawValue: "APNS") == .apple)
        #expect(PushPlatform(rawValue: "APNS").hashValue == PushPlatform.apple.hashValue)
        #expect(PushPlatform(rawValue: "apns2") != .apple)
    }
}

@Suite struct HubHeadersTests {
    @Test func `are found by name in any case, and keep their order`() {
        var headers: HubHeaders = ["B": "1", "a": "2"]
        headers["b"] = "3"
        #expect(headers["B"] == "3")
        #expect(headers.map(\.name) == ["B", "a"])
        headers["B"] = nil
        #expect(headers["b"] == nil)
    }

    @Test func `leave out what no header can be, where they come from elsewhere`() {
        let headers = HubHeaders([
            (name: "A", value: "1"), (name: "B: C", value: "2"), (name: "D", value: "a\r\nb"), (name: "", value: "3"),
            (name: "a", value: "4"), (name: "E", value: "\u{7f}"),
        ])
        #expect(headers.map { "\($0.name): \($0.value)" } == ["A: 1, 4"])
    }

    @Test func `stop the program rather than let a value begin another header`() async {
        await #expect(processExitsWith: .failure) {
            var headers = HubHeaders()
            headers["Tags"] = "a\r\nAuthorization: b"
        }
        await #expect(processExitsWith: .failure) {
            var headers = HubHeaders()
            headers["X: 1\r\nTags"] = "a"
        }
    }
}

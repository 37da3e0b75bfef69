import HubTestSupport
import NotificationHubs
import Testing

@Suite struct TagTests {
    @Test(arguments: ["a", "news", "A_b@c#d.e:f-9", String(repeating: "x", count: 120)])
    func `accepts the characters that the service allows`(text: String) throws {
        #expect(try NotificationHub.Tag(validating: text).rawValue == text)
    }

    @Test(arguments: [
        "", " ", "a b", "a||b", "!a", "(a)", "a,b", "$InstallationId:{1}", "ö", "a\n", "a\"",
        String(repeating: "x", count: 121),
    ])
    func `rejects other characters and operators of tag expressions`(text: String) {
        #expect(throws: HubValidationError.self) { try NotificationHub.Tag(validating: text) }
    }

    @Test func `validates decoded tags`() throws {
        #expect(try JSON.decode([NotificationHub.Tag].self, from: Array(#"["news"]"#.utf8)) == ["news"])
        let error = #expect(throws: DecodingError.self) {
            try JSON.decode([NotificationHub.Tag].self, from: Array(#"["news","a b"]"#.utf8))
        }
        #expect(error.map { "\($0)".contains("at byte 1") } == true)
    }

    @Test func `compares tags by their bytes`() throws {
        let tags = try JSONTags.decode("[\"e\u{301}\", \"\u{e9}\"]")
        #expect(tags[0] != tags[1])
        #expect(Set(tags).count == 2)
    }
}

@Suite struct NameTests {
    @Test(arguments: ["a", "push-hub_1.x", "12345"])
    func `accepts letters, digits and three punctuation marks`(text: String) throws {
        #expect(try NotificationHub.Name(validating: text).rawValue == text)
        #expect(try Installation.ID(validating: text).rawValue == text)
    }

    @Test func `validates decoded installation IDs`() throws {
        let id = try Installation.ID(validating: "a-1")
        #expect(try JSON.decode([Installation.ID].self, from: JSON.encode([id])) == [id])
        #expect(throws: DecodingError.self) { try JSON.decode([Installation.ID].self, from: Array(#"["a/b"]"#.utf8)) }
    }

    @Test func `creates unique installation IDs`() throws {
        let id = Installation.ID.random()
        #expect(try Installation.ID(validating: id.rawValue) == id)
        #expect(id != Installation.ID.random())
    }

    @Test(arguments: [
        "", "a/b", "..", ".", "a b", "a:b", "a%2fb", "ö", "a?b", "a\r\nb", String(repeating: "x", count: 261),
    ])
    func `rejects other characters`(text: String) {
        #expect(throws: HubValidationError.self) { try NotificationHub.Name(validating: text) }
        #expect(throws: HubValidationError.self) { try Installation.ID(validating: text) }
    }
}

@Suite struct PlatformTests {
    @Test(arguments: [
        ("APNS", "apns", true), ("FCMV1", "fcmv1", true), ("fcmv1", "fcmV1", true), ("apns2", "apns", false),
        ("\u{212a}", "k", false), ("ſ", "s", false), ("İ", "i\u{307}", false), ("É", "é", false),
        ("é", "e\u{301}", false), ("[", "{", false),
    ])
    func `compares names ignoring the case of ASCII letters only`(left: String, right: String, areEqual: Bool) {
        let (left, right) = (PushPlatform(rawValue: left), PushPlatform(rawValue: right))
        #expect((left == right) == areEqual)
        #expect((left != right) == !areEqual)
        #expect(Set([left, right]).count == (areEqual ? 1 : 2))
    }
}

@Suite struct HubHeadersTests {
    @Test func `finds headers ignoring case and keeps their order`() {
        var headers: HubHeaders = ["B": "1", "a": "2"]
        headers["b"] = "3"
        #expect(headers["B"] == "3")
        #expect(headers.map(\.name) == ["B", "a"])
        headers["B"] = nil
        #expect(headers["b"] == nil)
    }

    @Test func `skips invalid headers from other sources`() {
        let headers = HubHeaders([
            (name: "A", value: "1"), (name: "B: C", value: "2"), (name: "D", value: "a\r\nb"), (name: "", value: "3"),
            (name: "a", value: "4"), (name: "E", value: "\u{7f}"),
        ])
        #expect(headers.map { "\($0.name): \($0.value)" } == ["A: 1, 4"])
    }

    @Test(.blocking) func `traps on a name or value with a line break`() async {
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

import HubTestSupport
import NotificationHubs
@testable import PushBackend
import Testing

/// The encoding of names as tags and user IDs.
@Suite struct UserKeyTests {
    @Test func `hashes the key`() {
        #expect(Set((1...9).map { AppBackend.User(name: "\($0)").hashValue }).count > 1)
    }

    @Test(arguments: ["alice", "bob@contoso.com", "a.b-c_d", "user:7", "0", String(repeating: "x", count: 111)])
    func `uses a plain name as its key`(name: String) {
        #expect(AppBackend.User(name: name).key == name)
    }

    @Test(arguments: [
        ("a||username:b", "a#7c#7cusername:b"), (")", "#29"), ("Alice", "#41lice"), ("#41lice", "#2341lice"),
        ("é", "#c3#a9"), ("e\u{301}", "e#cc#81"), ("😀", "#f0#9f#98#80"), ("a b", "a#20b"), ("\0", "#00"),
    ])
    func `escapes any other byte`(name: String, key: String) {
        #expect(AppBackend.User(name: name).key == key)
    }

    @Test(arguments: [
        "", String(repeating: "x", count: 112), String(repeating: "X", count: 200), String(repeating: "Ω", count: 5000),
    ])
    func `hashes an empty or a long name`(name: String) {
        let key = AppBackend.User(name: name).key
        #expect(key.hasPrefix("##"))
        #expect(key.count == 66)
    }

    /// Names that could be confused with each other.
    static let hostile: [String] = {
        var names = [
            "", "a", "A", "b", "ab", "aB", "Ab", "AB", "a||username:b", "a || username:b", "username:a", "USERNAME:a",
            ")", "(",
            "a)", "!a", "a&&b", "*", "$UserId:{a}", "a}", "{a}", "#", "##", "#61", "#41", "A#41", "#2341", "%61",
            "a\u{0}", "a ",
            " a", "a,b", "a;b", "é", "e\u{301}", "É", "E\u{301}", "K", "\u{212A}", "Å", "\u{212B}", "A\u{30A}", "ß",
            "ss", "SS",
            "ı", "i", "İ", "I", "ﬁ", "fi", "😀", "👩‍👩‍👧", "a\u{200D}", "a\u{FEFF}", "\u{202E}a", "\n", "a\r\nX: y",
            String(repeating: "x", count: 111), String(repeating: "x", count: 112), String(repeating: "x", count: 200),
            String(repeating: "X", count: 37), String(repeating: "X", count: 38), String(repeating: "😀", count: 200),
        ]
        // Names that look like keys, and keys of those.
        for _ in 0..<2 { names += names.map { AppBackend.User(name: $0).key } }
        var generator = SeededGenerator(seed: 7)
        let bytes = Array("aAbB#:0417f)|&! é".utf8)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...6, using: &generator)
            names.append(
                String(decoding: (0..<count).map { _ in bytes.randomElement(using: &generator) ?? 0 }, as: UTF8.self))
        }
        return Set(names.map { Array($0.utf8) }).map { String(decoding: $0, as: UTF8.self) }
    }()

    @Test func `creates unique keys that differ in more than case`() {
        let keys = Self.hostile.map { AppBackend.User(name: $0).key }
        #expect(keys.count > 10_000)
        #expect(Set(keys.map { $0.lowercased() }).count == keys.count)
        #expect(Set(Self.hostile.map(AppBackend.User.init)).count == keys.count)
    }

    @Test func `creates keys that are valid in tags, user IDs and expressions`() throws {
        for name in Self.hostile {
            let user = AppBackend.User(name: name)
            #expect(try NotificationHub.Tag(validating: user.tag.rawValue) == user.tag)
            #expect(try Installation.UserID(validating: user.userID.rawValue) == user.userID)
            #expect(user.tag.rawValue.utf8.count <= NotificationHub.Tag.maximumLength)
            let expression = TagExpression.tag(user.tag) || .user(user.userID)
            #expect(try TagExpression(validating: expression.description).tagCount == 2)
        }
    }

    @Test(arguments: ["username:a", "USERNAME:a", "UserName:", "username:"])
    func `reserves tags with the user prefix regardless of case`(tag: String) throws {
        #expect(AppBackend.User.isReserved(try NotificationHub.Tag(validating: tag)))
    }

    @Test(arguments: ["username", "user:name", "xusername:a", "news"])
    func `does not reserve other tags`(tag: String) throws {
        #expect(!AppBackend.User.isReserved(try NotificationHub.Tag(validating: tag)))
    }
}

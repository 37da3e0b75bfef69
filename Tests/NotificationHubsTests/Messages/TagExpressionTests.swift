import HubTestSupport
import NotificationHubs
import Testing

@Suite struct TagExpressionTests {
    static let tag: NotificationHub.Tag = "t"
    static let other: NotificationHub.Tag = "u"

    @Test func `combines tags, literals and operators`() {
        let (t, u) = (TagExpression.tag(Self.tag), TagExpression.tag(Self.other))
        let built: [(TagExpression, String)] = [
            ("a", "a"), ("a" && "b", "a && b"), (t && u, "t && u"), (t || u, "t || u"), (!t, "!t"),
            (t && "b", "t && b"), ("b" && t, "b && t"), (t || "b", "t || b"), ("b" || t, "b || t"),
            (t && !u || "c", "t && !u || c"), ((t || u) && "c", "(t || u) && c"), (!(t && u), "!(t && u)"),
            (!(!t), "t"), (!(!(t || u)), "t || u"), (!(!(!t)), "!t"), (!(!(t && u)) || "c", "t && u || c"),
            ("a || b" && "c", "(a || b) && c"), ("a && b" || "c", "a && b || c"),
            (.any(of: [Self.tag, Self.other]), "t || u"), (.all(of: [Self.tag, Self.other]), "t && u"),
            (t && ("a" && ("b" && "c")), "t && a && b && c"), (.any(of: [Self.tag]), "t"),
        ]
        for (expression, text) in built { #expect(expression.description == text) }
    }

    @Test func `prints installations and users in braces`() throws {
        let id = try Installation.ID(validating: "4D3F-1.x_")
        let user = try Installation.UserID(validating: "bob@x.y=1:#")
        #expect(
            (.installation(id) && !.user(user)).description == "$InstallationId:{4D3F-1.x_} && !$UserId:{bob@x.y=1:#}")
    }

    @Test(arguments: [
        ("a", "a"), (" ( a ) ", "a"), ("a||b&&c", "a || b && c"), ("(a||b)&&c", "(a || b) && c"),
        ("((a)&&(b))||((c))", "a && b || c"), ("!!a", "a"), ("!(!(a||b))", "a || b"), ("! ( a ) && b", "!a && b"),
        ("a\t&&  b", "a && b"), ("$InstallationId:{x-1}&&news", "$InstallationId:{x-1} && news"),
        ("!$UserId:{a=b}", "!$UserId:{a=b}"), ("a:b||#c", "a:b || #c"),
    ])
    func `parses text and prints it without redundant parentheses`(text: String, canonical: String) throws {
        let expression = try TagExpression(validating: text)
        #expect(expression.description == canonical)
        #expect(try TagExpression(validating: canonical) == expression)
    }

    @Test(arguments: [
        ("", isEnd: true, 0), ("  ", true, 2), ("a b", false, 2), ("a & b", false, 3), ("a &&", true, 4),
        ("&& a", false, 0), ("a || || b", false, 5), ("(a", true, 2), ("a)", false, 1), ("()", false, 1),
        ("a,b", false, 1), ("a\n", false, 1), ("é", false, 0), ("a\u{301}", false, 1), ("\"a\"", false, 0),
        ("a=b", false, 1), ("$UserId:bob", false, 0), ("$userid:{bob}", false, 0), ("$UserId:{bo b}", false, 11),
        ("$UserId:{a", true, 10), ("a && $Other:{b}", false, 5), ("!", true, 1),
    ])
    func `reports the offset and the kind of a syntax error`(text: String, isEnd: Bool, offset: Int) {
        let error = #expect(throws: HubValidationError.self) { try TagExpression(validating: text) }
        #expect(error?.code == .invalidTagExpression)
        #expect(error?.offset == offset)
        #expect(error?.description.contains(isEnd ? "unexpected end" : "unexpected character") == true)
        #expect(text.isEmpty || error?.description.utf8.contains(0x0a) == false)
    }

    @Test(arguments: ["$UserId:{}", "$InstallationId:{a@b}", String(repeating: "x", count: 121)])
    func `rejects an invalid tag or ID`(text: String) {
        let error = #expect(throws: HubValidationError.self) { try TagExpression(validating: "b||" + text) }
        #expect(error?.code == .invalidID || error?.code == .invalidTag)
        #expect(error?.offset == 3)
    }

    @Test func `accepts at most twenty tags joined by ||, otherwise six`() throws {
        func tags(_ count: Int) -> [NotificationHub.Tag] { Array(repeating: "t", count: count) }
        try TagExpression.any(of: tags(20)).validate()
        try TagExpression.all(of: tags(6)).validate()
        let excessive: [(TagExpression, Int)] = [
            (.any(of: tags(21)), 21), (.all(of: tags(7)), 7), (!.any(of: tags(7)), 7),
            (.any(of: tags(6)) && "a", 7), (.any(of: tags(20)) || "a", 21), (.any(of: tags(1000)), 1000),
        ]
        for (expression, count) in excessive {
            let error = #expect(throws: HubValidationError.self) { try expression.validate() }
            #expect(error?.code == .tooManyTags)
            #expect(error?.description.hasPrefix("\(count) tags") == true)
        }
        #expect(try TagExpression(validating: Array(repeating: "t", count: 20).joined(separator: "||")).tagCount == 20)
        let texts = [(Array(repeating: "t", count: 21).joined(separator: "||"), 60), ("a&&a&&a&&a&&a&&a||b", 18)]
        for (text, offset) in texts {
            let error = #expect(throws: HubValidationError.self) { try TagExpression(validating: text) }
            #expect(error?.code == .tooManyTags)
            #expect(error?.offset == offset)
        }
    }

    @Test func `counts an installation and a user as one tag each`() throws {
        #expect(TagExpression.installation(try Installation.ID(validating: "i")).tagCount == 1)
        #expect(TagExpression.user(try Installation.UserID(validating: "u")).tagCount == 1)
    }

    @Test func `limits the nesting of parentheses and negations`() throws {
        let depth = TagExpression.maximumDepth
        for (opening, closing) in [("!", ""), ("(", ")")] {
            func nested(_ count: Int) -> String {
                String(repeating: opening, count: count) + "a" + String(repeating: closing, count: count)
            }
            #expect(try TagExpression(validating: nested(depth)) == "a")
            let error = #expect(throws: HubValidationError.self) { try TagExpression(validating: nested(depth + 1)) }
            #expect(error?.offset == depth + 1)
        }
    }

    @Test(arguments: [("a", true), ("b", false), ("!a", false), ("!b", true), ("a && b", false), ("a || b", true)])
    func `evaluates tags and operators`(text: String, isTrue: Bool) throws {
        #expect(try TagExpression(validating: text).isTrue { $0 == .tag("a") } == isTrue)
    }

    @Test func `rejects an empty list of tags at any depth`() {
        let empty: [TagExpression] = [
            .any(of: []), .all(of: []), !.any(of: []), .any(of: []) || "a", "a" && !.all(of: []),
        ]
        for expression in empty {
            let error = #expect(throws: HubValidationError.self) { try expression.validate() }
            #expect(error?.code == .missingTags)
            #expect(expression.description.hasPrefix("<") && expression.description.hasSuffix(">"))
            #expect(throws: HubValidationError.self) { try TagExpression(validating: expression.description) }
        }
    }

    @Test func `rejects an invalid tag from the service that would parse as an expression`() throws {
        let stored = try JSONTags.decode(#"["a || b", "Template Name", "", "a}"]"#)
        for tag in stored {
            let error = #expect(throws: HubValidationError.self) { try (.tag(tag) && "x").validate() }
            #expect(error?.code == .invalidTag)
        }
    }

    @Test func `parses the text of random expressions`() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<representativeCount(5_000) {
            let expression = Self.random(tags: Int.random(in: 1...6, using: &generator), using: &generator)
            #expect(try TagExpression(validating: expression.description) == expression)
            #expect(!(!expression) == expression)
        }
    }

    @Test(.timeLimit(.minutes(2))) func `rejects hostile text in linear time`() throws {
        let count = 1_000_000
        let texts = [
            String(repeating: "(", count: count), String(repeating: "!", count: count),
            String(repeating: "a||", count: count), String(repeating: "a", count: count),
            String(repeating: " ", count: count), "$UserId:{" + String(repeating: "a", count: count),
            String(repeating: "!(", count: count), "a" + String(repeating: "&&!(a", count: count),
            String(repeating: "(", count: 33) + "a" + String(repeating: ")", count: 33),
        ]
        // A quadratic parser would need hours.
        for text in texts {
            #expect(throws: HubValidationError.self) { try TagExpression(validating: text) }
        }
        let deepest = String(repeating: "(", count: 32) + "a" + String(repeating: ")", count: 32)
        #expect(try TagExpression(validating: deepest).description == "a")
    }

    @Test func `rejects random text or prints an equal expression`() throws {
        var generator = SeededGenerator(seed: 9)
        let pieces = [
            "a", "&&", "||", "!", "(", ")", " ", "$UserId:{", "}", "&", "|", "é", "\u{0}", "$InstallationId:{b}",
        ]
        var parsed = 0
        for _ in 0..<20000 {
            let text = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }.joined()
            guard let expression = try? TagExpression(validating: text) else { continue }
            parsed += 1
            #expect(try TagExpression(validating: expression.description) == expression)
        }
        #expect(parsed > 100)
    }

    @Test func `bounds the memory of a long chain of operators`() {
        var expression: TagExpression = "a"
        for _ in 0..<100_000 { expression = !(expression && "bcdef") }
        #expect(throws: HubValidationError.self) { try expression.validate() }
        #expect(expression.tagCount == 100_001)
    }

    @Test(.blocking) func `traps on an invalid literal`() async {
        await #expect(processExitsWith: .failure) {
            let expression: TagExpression = "a b"
            print(expression)
        }
    }

    static func random(tags: Int, using generator: inout SeededGenerator) -> TagExpression {
        guard tags > 1 else {
            let leaf = TagExpression.tag(["a", "b-c", "d:e"].randomElement(using: &generator) ?? tag)
            return Bool.random(using: &generator) ? leaf : !leaf
        }
        let left = Int.random(in: 1..<tags, using: &generator)
        let (a, b) = (random(tags: left, using: &generator), random(tags: tags - left, using: &generator))
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return a && b
        case 1: return a || b
        case 2: return !(a && b)
        default: return !(a || b)
        }
    }
}

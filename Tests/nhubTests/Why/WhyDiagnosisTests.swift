import NotificationHubs
import Testing

@testable import nhub

/// The causes that are found in a situation, without a hub.
struct WhyDiagnosisTests {
    private func device(
        _ id: String, tags: Set<String>, expiry: WhyDevice.Expiry? = nil, template: String? = nil
    ) -> WhyDevice {
        var parts = [WhyDevice.Part(tags: tags)]
        if let template { parts.append(.init(template: .init(body: template), templateName: "t", tags: tags)) }
        return WhyDevice(id: id, isInstallation: true, platform: .apple, parts: parts, expiry: expiry)
    }

    private func codes(_ situation: WhySituation) -> [String] { WhyDiagnosis(situation).causes.map(\.code) }

    private func situation(_ expression: TagExpression, _ devices: WhyDevice...) -> WhySituation {
        var situation = WhySituation(
            question: .init(option: .expression, value: "\(expression)", expression: expression, format: .template))
        situation.devices = devices
        return situation
    }

    @Test func `finds no cause if all devices of the target receive the message`() {
        let situation = situation("a", device("1", tags: ["a"], template: "{}"), device("2", tags: ["b"]))
        #expect(codes(situation) == [])
        #expect(WhyDiagnosis(situation).summary(of: situation) == "1 device would receive the message")
    }

    @Test(
        arguments: [
            (429, nil, false, false, "throttled"), (403, "the quota is exceeded", false, false, "quota"),
            (413, nil, true, true, "rejected"),
        ] as [(Int, String?, Bool, Bool, String)])
    func `names the rejection by the hub`(status: Int, detail: String?, isOwn: Bool, hasManageRight: Bool, code: String)
    {
        var situation = situation("a", device("1", tags: ["a"], template: "{}"))
        situation.rejection = .init(status: status, detail: detail, isOwn: isOwn)
        situation.hasManageRight = hasManageRight
        #expect(codes(situation) == [code])
    }

    @Test(
        arguments: [
            ("Quota exceeded", false, false, true), (nil, true, true, true), (nil, true, false, false),
            (nil, false, true, false),
        ] as [(String?, Bool, Bool, Bool)])
    func `is certain of a quota only if the key has the right to send`(
        detail: String?, isOwn: Bool, hasManageRight: Bool, isCertain: Bool
    ) {
        var situation = situation("a", device("1", tags: ["a"], template: "{}"))
        situation.rejection = .init(status: 403, detail: detail, isOwn: isOwn)
        situation.hasManageRight = hasManageRight
        #expect(WhyDiagnosis(situation).causes == [.quota(isCertain: isCertain)])
    }

    @Test func `reports some expired devices and some devices without a template`() {
        let situation = situation(
            "a", device("1", tags: ["a"], expiry: .channel), device("2", tags: ["a"]),
            device("3", tags: ["a"], template: "{}"))
        #expect(
            WhyDiagnosis(situation).causes == [
                .expired(["1"], isChannel: true, isAll: false), .noTemplate(count: 1, isAll: false),
            ])
    }

    @Test func `reports platforms without credentials`() {
        var situation = situation("a", device("1", tags: ["a"], template: "{}"))
        situation.credentials = [.fcmV1]
        #expect(WhyDiagnosis(situation).causes == [.noCredentials(.apple)])
    }

    @Test(arguments: [
        ("a || b && c", "a || (b && c)", "(a || b) && c"), ("a && b || c", "(a && b) || c", "a && (b || c)"),
        ("!a||b && !(c)", "!a || (b && !(c))", "(!a || b) && !(c)"),
        ("(a || b && c) && d", "(a || (b && c)) && d", "((a || b) && c) && d"),
        ("$UserId:{a}||b&&c", "$UserId:{a} || (b && c)", "($UserId:{a} || b) && c"),
    ])
    func `groups an expression in both ways`(expression: String, actual: String, alternative: String) throws {
        let groups = try #require(TagPrecedence(expression))
        #expect(groups.actual == actual)
        #expect(groups.alternative == alternative)
        #expect(try TagExpression(validating: actual) == TagExpression(validating: expression))
        #expect(try TagExpression(validating: alternative) != TagExpression(validating: expression))
    }

    @Test(arguments: ["a", "a || b || c", "a && !b", "(a || b) && c", "a || (b && c)", "!(a && b) || c"])
    func `finds one grouping of an expression without mixed operators`(expression: String) {
        #expect(TagPrecedence(expression) == nil)
    }

    @Test func `does not mention the precedence if both groupings match the same devices`() throws {
        let text = "a || b && c"
        let expression = try TagExpression(validating: text)
        var situation = WhySituation(question: .init(option: .expression, value: text, expression: expression))
        situation.devices = [device("1", tags: ["a", "c"])]
        #expect(codes(situation) == [])
        situation.devices.append(device("2", tags: ["a"]))
        #expect(codes(situation) == ["precedence"])
    }
}

import NotificationHubs
@testable import NotificationHubsEmulator
import Testing

/// Warnings that answer why a device shows nothing.
@Suite struct AdviceTests {
    private func warnings(_ body: (Scene) throws -> Void) throws -> [String] {
        let scene = try Scene()
        try body(scene)
        return scene.emulator.warnings.map(\.text)
    }

    private static let template =
        ##""templates":{"t":{"body":"{\"aps\":{\"alert\":\"$(message)\",\"badge\":\"#(count:{1})\"}}"}}"##

    @Test func `names the existing tags if a message matches no device`() throws {
        let found = try warnings { scene in
            try scene.putPhone(#""tags":["news","former"]"#)
            try scene.putPhone(#""tags":["news","city"]"#)
            try scene.send(#"{"aps":{"alert":"a"}}"#, format: "apple", tags: "sports && news")
        }
        #expect(
            found == [
                "no recipient of the format apple matches sports && news: the hub's devices have the tags city, news"
            ])
    }

    @Test func `names only some of many tags, and no generated ones`() throws {
        let tags = (1...12).map { "\"t\($0)\"" }.joined(separator: ",")
        let found = try warnings { scene in
            try scene.putPhone("\"userId\":\"bob\",\"tags\":[\(tags)]")
            try scene.send(#"{"aps":{"alert":"a"}}"#, format: "apple", tags: "x")
        }
        #expect(found.count == 1)
        #expect(found[0].split(separator: ", ").count == 11 && found[0].hasSuffix(", …"))
        #expect(!found[0].contains("$"))
    }

    @Test func `counts a warning that is repeated within a second`() throws {
        let scene = try Scene()
        func send(tags: String) throws { try scene.send(#"{"aps":{"alert":"a"}}"#, format: "apple", tags: tags) }
        for _ in 1...3 { try send(tags: "x") }
        try send(tags: "y")
        #expect(scene.emulator.warnings.map(\.text).map { $0.contains("matches y") } == [false, true])
        scene.wait(1)
        let first = scene.emulator.warnings[0].text
        #expect(scene.emulator.warnings.map(\.text).dropFirst(2) == ["\(first) (2 more times)"])
        try send(tags: "x")
        #expect(scene.emulator.warnings.map(\.text).dropFirst(3) == [first])
    }

    @Test func `records each of many different warnings, and each repetition once`() throws {
        let scene = try Scene()
        scene.emulator.mutate { state in
            for number in 1...1500 { state.warn("\(number)", now: Scene.start) }
            for number in [1000, 1001] { state.warn("\(number)", now: Scene.start) }
        }
        // Only the first 1000 texts are counted.
        #expect(scene.emulator.warnings.map(\.number).last == 1501)
        scene.wait(1)
        #expect(scene.emulator.warnings.last?.text == "1000 (1 more time)")
        scene.emulator.reportRepeatedWarnings()
        #expect(scene.emulator.warnings.last?.number == 1502)
    }

    @Test func `says that no device has tags`() throws {
        let found = try warnings { try $0.send(#"{"aps":{"alert":"a"}}"#, format: "apple", tags: "x") }
        #expect(found == ["no recipient of the format apple matches x: the hub's devices have no tags"])
    }

    @Test func `does not warn about a message that reaches a device`() throws {
        let found = try warnings { scene in
            try scene.putPhone(#""tags":["news"],"# + Self.template)
            try scene.send(#"{"message":"a"}"#, tags: "news")
            try scene.send(#"{"message":"a","count":"2"}"#, tags: "news")
            try scene.send(#"{"aps":{"alert":"a"}}"#, format: "apple", tags: "news", ["apns-push-type": "alert"])
        }
        #expect(found == [])
    }

    @Test func `names missing and unused properties as they are written`() throws {
        let found = try warnings { scene in
            try scene.putPhone(#""tags":["news"],"# + Self.template.replacing("message", with: "userName"))
            try scene.send(#"{"massAge":"a"}"#, tags: "news")
        }
        #expect(
            found == [
                "the message lacks properties of the templates: userName",
                "no template of the recipients uses the properties: massAge",
            ])
    }

    @Test func `accepts a property from the installation's push variables`() throws {
        let found = try warnings { scene in
            try scene.putPhone(#""pushVariables":{"message":"m"},"tags":["news"],"# + Self.template)
            try scene.send("{}", tags: "news")
        }
        #expect(found == [])
    }

    @Test(
        arguments: [
            (#"{"aps":{"alert":"a"}}"#, [:], nil),
            (#"{"aps":{"content-available":1}}"#, ["apns-push-type": "background", "apns-priority": "5"], nil),
            (#"{"x":1}"#, ["apns-push-type": "location"], nil),
            (#"{"aps":{"alert":""# + String(repeating: "a", count: 4077) + #""}}"#, [:], "4097 bytes"),
            (#"{"x":1}"#, [:], "no device of Apple will show the message: aps: missing"),
            (#"{"aps":{"content-available":1}}"#, [:], "requires the push type background"),
            (
                #"{"aps":{"alert":"a","content-available":1}}"#,
                ["apns-push-type": "background", "apns-priority": "5"], "has an alert, badge or sound"
            ),
            (#"{"aps":{}}"#, ["apns-push-type": "alert"], "requires alert, badge or sound"),
            (
                #"{"aps":{"content-available":1}}"#, ["apns-push-type": "background", "apns-priority": "10"],
                "Apple will reject the message: apns-priority: must be 5"
            ),
        ] as [(String, HubHeaders, String?)])
    func `checks Apple payloads as Apple does`(body: String, headers: HubHeaders, problem: String?) throws {
        let found = try warnings { scene in
            try scene.putPhone(#""tags":["news"]"#)
            #expect(try scene.send(body, format: "apple", tags: "news", headers).status == 201)
        }.filter { !$0.hasPrefix("rejected by Apple: ") }
        #expect(found.count == (problem == nil ? 0 : 1), "\(found)")
        #expect(problem.map { found.first?.contains($0) ?? false } ?? true, "\(found)")
    }

    @Test(
        arguments: [
            (#"{"event":"update","timestamp":1,"content-state":{}}"#, []), (#"{"event":"end","timestamp":1}"#, []),
            (
                #"{"event":"start","timestamp":1,"content-state":{},"attributes-type":"A","attributes":{},"alert":{}}"#,
                []
            ),
            (
                #"{"event":"start","timestamp":1,"content-state":{},"alert":{}}"#,
                ["aps.attributes-type: missing", "aps.attributes: missing"]
            ),
            (#"{"event":"update"}"#, ["aps.timestamp: missing", "aps.content-state: missing"]),
            (#"{"timestamp":1,"content-state":{}}"#, ["aps.event: missing"]),
        ] as [(String, [String])])
    func `checks Live Activities as Apple documents them`(aps: String, problems: [String]) throws {
        for (topic, topicProblem) in [(nil, []), ("a.push-type.liveactivity", ["apns-topic"])] {
            let found = try warnings { scene in
                try scene.putPhone(#""tags":["news"]"#)
                var headers: HubHeaders = ["apns-push-type": "liveactivity"]
                headers["apns-topic"] = topic
                try scene.send(#"{"aps":\#(aps)}"#, format: "apple", tags: "news", headers)
            }
            #expect(found.count == (topicProblem + problems).count, "\(found)")
            #expect(zip(found, topicProblem + problems).allSatisfy { $0.contains($1) }, "\(found)")
        }
    }

    @Test func `checks a filled template for an Apple device`() throws {
        let found = try warnings { scene in
            try scene.putPhone(#""tags":["news"],"templates":{"t":{"body":"{\"x\":\"$(message)\"}"}}"#)
            try scene.send(#"{"message":"a"}"#, tags: "news")
        }
        let problem =
            "no device of Apple will show the message: aps: missing, so the device shows nothing: send {\"aps\":{\"alert\":…}}"
        #expect(found == ["installation phone, template t: \(problem)", problem])
    }
}

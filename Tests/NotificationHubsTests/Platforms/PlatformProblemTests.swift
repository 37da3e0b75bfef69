import Foundation
import HubTestSupport
import NotificationHubs
import Testing

/// The notifications that platforms refuse, in `Fixtures/platforms`.
@Suite struct PlatformProblemTests {
    struct Case: Decodable, CustomTestStringConvertible {
        let platform: String
        let kind: String
        let body: String
        let fill: Int?
        let headers: [String: String]?
        let values: [String: String]?
        let verdict: String
        let path: String

        var testDescription: String { "\(platform) \(kind) \(body.prefix(100)) \(headers ?? [:])" }

        func problems() throws -> [PlatformProblem] {
            let text = body.replacing("@FILL@", with: String(repeating: "y", count: fill ?? 0))
            let platform = PushPlatform(rawValue: platform)
            guard kind == "template" else { return platform.problems(body: Array(text.utf8), headers: headers ?? [:]) }
            let isForTemplate = platform == .windows
            let template = Installation.Template(body: text, headers: isForTemplate ? headers ?? [:] : [:])
            let message = try values.map {
                try PushNotification.template($0, headers: isForTemplate ? [:] : headers ?? [:])
            }
            return template.problems(on: platform, message: message)
        }
    }

    static let cases: [Case] = {
        let data = (try? Data(contentsOf: Fixtures.url("platforms/cases.json"))) ?? Data()
        return (try? JSONDecoder().decode([Case].self, from: data)) ?? []
    }()

    @Test(arguments: [(99, true), (100, false)])
    func `searches a reference in text after up to 99 invalid ones`(count: Int, isFound: Bool) {
        let value = String(repeating: "$(-", count: count) + "$(name:{" + String(repeating: "a", count: 1000) + "})"
        let template = Installation.Template(body: #"{"aps":{"alert":"xVALUE"}}"#.replacing("VALUE", with: value))
        let problems = template.problems(on: .apple, message: nil)
        #expect(problems.contains { $0.summary.contains("arrive literally") } == isFound)
    }

    @Test(.timeLimit(.minutes(2))) func `checks text with many open references in linear time`() {
        let value = "x$(a)" + String(repeating: "$(", count: 100_000)
        let template = Installation.Template(body: #"{"aps":{"alert":"VALUE"}}"#.replacing("VALUE", with: value))
        #expect(template.problems(on: .apple, message: nil).contains { $0.summary.contains("arrive literally") })
    }

    @Test func `reads the cases`() { #expect(Self.cases.count > 90) }

    @Test(arguments: cases)
    func `judges a notification as its platform does`(example: Case) throws {
        let problems = try example.problems()
        let verdict =
            problems.contains { $0.severity == .failure } ? "failure" : problems.isEmpty ? "ok" : "warning"
        #expect(verdict == example.verdict, "\(problems.map(\.summary))")
        if verdict != "ok" {
            #expect(
                problems.contains { $0.severity.rawValue == verdict && $0.path == example.path },
                "\(problems.map(\.summary))")
        }
    }
}

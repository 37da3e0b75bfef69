@testable import NotificationHubsEmulator
import Testing

@Suite struct MessageTemplateTests {
    @Test(arguments: [
        (#"{"aps":{"alert":"$(message)"}}"#, ["message": "Hello"], #"{"aps":{"alert":"Hello"}}"#),
        (#"{"a":"$(x), $(Y)!"}"#, ["X": "1", "y": "2"], #"{"a":"1, 2!"}"#),
        (#"{"a":"$(absent)"}"#, ["x": "1"], #"{"a":""}"#),
        (#"{"a":"$(x)"}"#, ["x": "\"\\\n\u{1}/é"], #"{"a":"\"\\\n\u0001/é"}"#),
        (#"{"a":"$(x)"}"#, ["x": #"","b":"$(x)"#], #"{"a":"\",\"b\":\"$(x)"}"#),
        (#"{"a":"costs $5"}"#, [:], #"{"a":"costs $5"}"#),
    ])
    func `fills values in, escaped for JSON`(body: String, values: [String: String], filled: String) throws {
        #expect(try MessageTemplate(body).filled(with: values) == filled)
    }

    @Test(arguments: [
        "", "text", #"{"a":"$(x)""#, #"{"a":"$(x"}"#, #"{"a":"$()"}"#, #"{"a":"$(x,5)"}"#, #"{"a":".(x,5)"}"#,
        #"{"a":"{'b' + $(x)}"}"#, #"{"a":"%(x)"}"#, ##"{"a":"#(x)"}"##,
    ])
    func `refuses what is not JSON, and expressions that it would not fill`(body: String) {
        #expect(throws: MessageTemplate.Invalid.self) { try MessageTemplate(body) }
    }
}

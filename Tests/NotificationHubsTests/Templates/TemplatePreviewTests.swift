import Testing

@testable import NotificationHubs

@Suite struct TemplatePreviewTests {
    @Test(arguments: [
        (#"{"a":"$(City)"}"#, TemplatePreview.filled(body: #"{"a":"Rome"}"#, missingNames: [])),
        (#"{"a":"$(sender)"}"#, .filled(body: #"{"a":"bob"}"#, missingNames: [])),
        (#"{"a":"$(y)","b":"$(x)","c":"$(y)"}"#, .filled(body: #"{"a":"","b":"","c":""}"#, missingNames: ["x", "y"])),
        (#"["$(city)"]"#, .invalid(reason: "the body must be a JSON object")),
        ("{\"a\":\"\(String(repeating: "x", count: 64 << 10))\"}", .tooLong),
    ])
    func `fills a template, and lists the missing properties`(body: String, expected: TemplatePreview) {
        let preview = TemplatePreview(
            .init(body: body), on: .apple, values: ["city": "Rome"], pushVariables: ["sender": "bob", "city": "Oslo"])
        #expect(preview == expected)
    }
}

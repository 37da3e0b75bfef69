import HubText
import Testing

@testable import NotificationHubs

@Suite struct JSONReaderTests {
    @Test(arguments: [
        (#"{"a":1,"b" : [ 2 ] ,"c":{"b":3}}"#, "[ 2 ]"), (#"{"c":{"b":3},"b":"\u0041"}"#, #""\u0041""#),
        (#"{"a":1}"#, nil), ("{}", nil), (#"["b":1}"#, nil), (#"{"b":1"#, nil), (#"{"b";1}"#, nil),
        ("", nil),
    ])
    func `returns the text of a member as it was written`(json: String, text: String?) {
        #expect(JSONReader.text(ofMember: "b", in: Array(json.utf8))?.lossyText == text)
    }
}

import HubTestSupport
import Testing

@testable import NotificationHubs

/// Documents behind each other, in pieces of any length.
@Suite struct FeedbackReaderTests {
    static func document(_ number: Int, _ more: String = "") -> String {
        """
        <?xml version="1.0" encoding="utf-16"?>\r
        <PnsFeedback xmlns:i="http://www.w3.org/2001/XMLSchema-instance" xmlns="\(Atom.serviceNamespace)">\r
          <FeedbackTime>2016-07-27T20:47:10.8905532Z</FeedbackTime>\r
          <NotificationSystemError>ExpiredChannel</NotificationSystemError><Platform>windows</Platform>\r
          <PnsHandle>é😀 <![CDATA[</PnsFeedback>]]>\(number)</PnsHandle>\(more)\r
        </PnsFeedback>\r\n
        """
    }

    private static let text = (1...3).map { document($0) }.joined()

    static let encodings: [(name: String, bytes: [UInt8])] = [
        ("UTF-8", Array(text.utf8)), ("UTF-8 with marks", [0xef, 0xbb, 0xbf] + Array(text.utf8)),
        ("UTF-16, little end first", text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }),
        ("UTF-16, big end first", text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }),
        ("UTF-16 with a mark", [0xff, 0xfe] + text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }),
    ]

    @Test(arguments: encodings.indices, representatives([1, 500], of: [1, 2, 7, 500, 1 << 20]))
    func `each is read, whatever its encoding and wherever a piece ends`(encoding: Int, length: Int) throws {
        let bytes = Self.encodings[encoding].bytes
        var reader = FeedbackReader()
        var handles: [String] = []
        for start in stride(from: 0, to: bytes.count, by: length) {
            reader.append(Array(bytes[start..<min(start + length, bytes.count)]))
            while let entry = try reader.next(isAtEnd: false) { handles.append(entry.handle) }
        }
        #expect(try reader.next(isAtEnd: true) == nil)
        #expect(handles == (1...3).map { "é😀 </PnsFeedback>\($0)" })
    }

    @Test(arguments: [
        ("<PnsFeedback>", "the document at byte 0 ends too early"), ("<", "at byte 0"), ("x", "malformed at byte 0"),
        (document(1) + "<PnsFeedback><a></PnsFeedback>", "malformed"), ("<a/>", "'a' is no PnsFeedback"),
        ("<PnsFeedback/>", "'PnsFeedback/FeedbackTime' is required"),
        (document(1, "<RegistrationId>1</RegistrationId><RegistrationId>2</RegistrationId>"), "is there twice"),
    ])
    func `says what is wrong, and where`(text: String, problem: String) throws {
        var reader = FeedbackReader()
        reader.append(Array(text.utf8))
        let error = #expect(throws: UnreadableXML.self) { while try reader.next(isAtEnd: true) != nil {} }
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [[0x3c], [0xff, 0xfe, 0x3c], [0xff, 0xfe, 0x3d, 0xd8]] as [[UInt8]])
    func `half a character at the end is not passed over`(bytes: [UInt8]) {
        var reader = FeedbackReader()
        reader.append(bytes)
        #expect(throws: UnreadableXML.self) { try reader.next(isAtEnd: true) }
    }

    @Test func `does not keep more than a mebibyte of what is no document`() throws {
        var reader = FeedbackReader()
        reader.append(Array("<a>".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20))
        #expect(throws: UnreadableXML.self) { try reader.next(isAtEnd: false) }
    }
}

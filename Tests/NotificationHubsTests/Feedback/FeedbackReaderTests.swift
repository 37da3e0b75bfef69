import HubTestSupport
import Testing

@testable import NotificationHubs

/// Concatenated documents in chunks of any length.
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
        ("UTF-8", Array(text.utf8)), ("UTF-8 with a byte order mark", [0xef, 0xbb, 0xbf] + Array(text.utf8)),
        ("UTF-16 little-endian", text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }),
        ("UTF-16 big-endian", text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }),
        ("UTF-16 with a byte order mark", [0xff, 0xfe] + text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }),
    ]

    @Test(arguments: encodings.indices, representatives([1, 500], of: [1, 2, 7, 500, 1 << 20]))
    func `parses all documents in any encoding and chunk length`(encoding: Int, length: Int) throws {
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
        ("<PnsFeedback>", "the document at byte 0 ends unexpectedly"), ("<", "at byte 0"), ("x", "malformed at byte 0"),
        (document(1) + "<PnsFeedback><a></PnsFeedback>", "malformed"), ("<a/>", "'a' is not PnsFeedback"),
        ("<PnsFeedback/>", "'PnsFeedback/FeedbackTime' is required"),
        (document(1, "<RegistrationId>1</RegistrationId><RegistrationId>2</RegistrationId>"), "appears more than once"),
    ])
    func `reports the problem and its location`(text: String, problem: String) throws {
        var reader = FeedbackReader()
        reader.append(Array(text.utf8))
        let error = #expect(throws: XMLContentError.self) { while try reader.next(isAtEnd: true) != nil {} }
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [[0x3c], [0xff, 0xfe, 0x3c], [0xff, 0xfe, 0x3d, 0xd8]] as [[UInt8]])
    func `rejects an incomplete document or character at the end`(bytes: [UInt8]) {
        var reader = FeedbackReader()
        reader.append(bytes)
        #expect(throws: XMLContentError.self) { try reader.next(isAtEnd: true) }
    }

    @Test func `limits an incomplete document to 1 MiB`() throws {
        var reader = FeedbackReader()
        reader.append(Array("<a>".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20))
        #expect(throws: XMLContentError.self) { try reader.next(isAtEnd: false) }
    }
}

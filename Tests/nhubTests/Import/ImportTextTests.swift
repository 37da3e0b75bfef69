import Foundation
import HubCommandLine
import NotificationHubs
import Testing

@testable import nhub

@Suite struct ImportTextTests {
    /// Returns a reader of a file with the given contents.
    private func lines(_ text: String, maximumLength: Int = 100) throws -> LineReader {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return LineReader(try InputFile(path: Array(path.utf8)), maximumLength: maximumLength)
    }

    private func all(_ reader: LineReader) throws -> [LineReader.Line] {
        var lines: [LineReader.Line] = []
        while let line = try reader.next() { lines.append(line) }
        return lines
    }

    @Test func `reads lines with any line ending`() throws {
        let lines = try all(try lines("a\r\n\n\r\nlast"))
        #expect(lines.map { String(decoding: $0.bytes, as: UTF8.self) } == ["a", "", "", "last"])
        #expect(lines.map(\.number) == [1, 2, 3, 4])
        #expect(lines.map(\.endOffset) == [3, 4, 6, 10])
        #expect(lines.map(\.isTerminated) == [true, true, true, false])
        #expect(try all(try self.lines("")).isEmpty)
        #expect(try all(try self.lines("x\n")).count == 1)
    }

    @Test func `reports without waiting whether a line is available`() throws {
        let pipe = Pipe()
        let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        let reader = LineReader(try InputFile(path: Array(path.utf8)), maximumLength: 100)
        #expect(try !reader.isReady())
        try pipe.fileHandleForWriting.write(contentsOf: Data("ab".utf8))
        #expect(try !reader.isReady())
        try pipe.fileHandleForWriting.write(contentsOf: Data("c\nd".utf8))
        #expect(try reader.isReady())
        #expect(try reader.next()?.bytes == Array("abc".utf8))
        #expect(try !reader.isReady())
        try pipe.fileHandleForWriting.close()
        #expect(try reader.isReady())
        #expect(try reader.next()?.bytes == Array("d".utf8))
        #expect(try reader.isReady())
        #expect(try reader.next() == nil)
    }

    @Test(arguments: ["\n", " \n", "[\n"])
    func `returns a line that a person types immediately`(text: String) throws {
        let pipe = Pipe()
        let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        let reader = LineReader(try InputFile(path: Array(path.utf8)), maximumLength: 100, format: .interactive)
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try #require(try reader.isReady())
        #expect(try reader.next()?.bytes == Array(text.utf8.dropLast()))
    }

    @Test func `recognizes an array that starts in a later piece of the input`() throws {
        for pieces in [[" ", "\n", "[1,2]"], ["\u{feff}", " [1,", "2]"], ["[", "1,2]"]] {
            let pipe = Pipe()
            let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
            let reader = LineReader(try InputFile(path: Array(path.utf8)), maximumLength: 100)
            for piece in pieces {
                try pipe.fileHandleForWriting.write(contentsOf: Data(piece.utf8))
                _ = try reader.isReady()
            }
            try pipe.fileHandleForWriting.close()
            #expect(try all(reader).map { String(decoding: $0.bytes, as: UTF8.self) } == ["1", "2"])
        }
    }

    @Test(arguments: [("\u{feff}a\nb", ["a", "b"]), ("\u{feff}", []), (" \n\na", [" ", "", "a"]), ("\n", [""])])
    func `skips a byte order mark and keeps blank lines`(text: String, expected: [String]) throws {
        let read = try all(try lines(text))
        #expect(read.map { String(decoding: $0.bytes, as: UTF8.self) } == expected)
        if let last = read.last { #expect(last.endOffset == text.utf8.count) }
    }

    @Test func `stops reading when the task is cancelled`() async throws {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try LineReader(try InputFile(path: Array("/dev/zero".utf8)), maximumLength: 4).isReady()
        }
        task.cancel()
        #expect(try await !task.value)
    }

    @Test func `truncates a long line`() throws {
        let long = String(repeating: "x", count: 200_000)
        let lines = try all(try lines("abcd\nabcde\nabcd\r\nabcdef\r\n\(long)\nend", maximumLength: 4))
        #expect(lines.map(\.isTruncated) == [false, true, false, true, true, false])
        #expect(
            lines.map { String(decoding: $0.bytes, as: UTF8.self) } == ["abcd", "abcd", "abcd", "abcd", "xxxx", "end"])
        #expect(lines.last?.endOffset == 5 + 6 + 6 + 8 + 200_001 + 3)
    }

    @Test(arguments: [
        ("[]", [""]), (" [ 1,{\"a\":[2,3]} , \"x],\\\",[\"]\n", [" 1", "{\"a\":[2,3]} ", " \"x],\\\",[\"", "\n"]),
        ("\u{feff}[1,\n2]", ["1", "\n2"]), ("[1,2", ["1", "2", "["]), ("[1,", ["1", "["]), ("[1]x", ["1", "x"]),
        ("[{]}]", ["{]}"]), ("[", ["["]),
    ])
    func `reads the elements of an array`(text: String, elements: [String]) throws {
        let read = try all(try lines(text, maximumLength: 1000))
        #expect(read.map { String(decoding: $0.bytes, as: UTF8.self) } == elements)
        #expect(read.map(\.number) == Array(1...elements.count))
    }

    private static let installation = #"{"installationId":"A1","platform":"apns","pushChannel":"00fc13adff785122"}"#

    private func read(_ text: String, number: Int = 2, maximumLength: Int = 1000) throws -> ImportLine? {
        try lines(String(repeating: "\n", count: number - 1) + text, maximumLength: maximumLength).last().flatMap {
            ImportLine($0)
        }
    }

    @Test(arguments: [
        installation, "  \(installation)\t",
        #"{"line":7,"error":"no","installation":\#(installation)}"#,
        #"{"line":7,"error":"no","text":"{\"installationId\":\"A1\",\"platform\":\"apns\",\"pushChannel\":\"00fc\"}"}"#,
    ])
    func `parses an installation, also in a corrected failure`(text: String) throws {
        let line = try #require(try read(text))
        guard case .installation(let installation) = try line.device.get() else { throw UnexpectedValue() }
        #expect(installation.id.rawValue == "A1")
        #expect(line.number == 2)
        guard case .json(let bytes, .installation) = line.content else { throw UnexpectedValue() }
        #expect(bytes.starts(with: Array(#"{"installationId""#.utf8)) || text.hasPrefix(" "))
    }

    @Test func `parses a registration, also in a corrected failure`() throws {
        let text = #"""
            {"registrationId":"1-2-3","entityTag":"1","expirationTime":"9999-12-31T23:59:59Z","platform":"apns",\
            "pushChannel":"00FC","tags":["a"],"pushVariables":{"n":"v"},"template":{"body":"{}","name":"t",\
            "headers":{"apns-priority":"5"},"expiry":"$(e)","priority":"5","messageType":1},"secondaryTileName":"tile"}
            """#.replacing("\\\n", with: "")
        for line in [text, #"{"line":7,"error":"no","registration":\#(text)}"#] {
            guard case .registration(let registration, let id)? = try read(line)?.device.get() else {
                throw UnexpectedValue()
            }
            #expect(id?.rawValue == "1-2-3")
            #expect(registration.pushChannel.handle == "00FC" && registration.tags == ["a"])
            #expect(registration.pushVariables == ["n": "v"] && registration.secondaryTileName == "tile")
            let template = try #require(registration.template)
            #expect(template.body == "{}" && template.name?.rawValue == "t" && template.expiry?.rawValue == "$(e)")
            #expect(template.headers == ["apns-priority": "5"] && template.priority == "5" && template.messageType == 1)
        }
    }

    @Test(arguments: [
        ("{", "invalid JSON"), ("0", "invalid installation"), (#"{"installationId":"a/b"}"#, "invalid installation"),
        (#"{"line":1,"error":"x"}"#, "invalid installation"), (#"{"error":"x","text":"oh"}"#, "invalid JSON"),
        (#"{"error":"x","installation":{}}"#, "invalid installation"),
        (#"{"registrationId":"1","platform":"apns"}"#, "invalid registration: pushChannel: missing"),
        (
            #"{"registrationId":"1","platform":"apns","pushChannel":"00","userId":"zoe"}"#,
            "invalid registration: userId"
        ),
        (String(repeating: "x", count: 1001), "the line is longer"),
    ])
    func `reports the error in a line`(text: String, problem: String) throws {
        let line = try #require(try read(text))
        guard case .failure(let error) = line.device else { throw UnexpectedValue() }
        #expect(error.description.hasPrefix(problem))
    }

    @Test func `skips blank lines and a byte order mark in the first line`() throws {
        #expect(try read(" \t") == nil)
        #expect(try read("\u{feff}" + Self.installation, number: 1)?.device.get() != nil)
        #expect(throws: ImportLine.InvalidLineError.self) {
            try read("\u{feff}" + Self.installation, number: 2)?.device.get()
        }
    }

    @Test func `writes a failure that can be parsed`() throws {
        for (text, isJSON) in [("{\"a\":\"\u{e9}\"}", true), ("{\"a\" \u{1b}[1m\"", false)] {
            let line = try #require(try read(text))
            let bytes = FailureFile.bytes(12, "a \"reason\"", line.content)
            guard case .object(let object) = try JSONValue(parsing: bytes.dropLast()) else {
                throw UnexpectedValue()
            }
            #expect(bytes.filter { $0 == 10 }.count == 1)
            #expect(object["line"] == .number(.init(12)))
            #expect(object["error"] == .string("a \"reason\""))
            #expect(isJSON ? object["installation"] != nil : object["text"] == .string(text))
        }
    }

    // MARK: The journal

    private static let subject = JournalText.Subject(
        content: .init(byteCount: 10, digest: "ab", lineCount: 3), hub: "http://h/push")

    private func journal(_ text: String) throws -> JournalText {
        try JournalText(try lines(text), of: Self.subject)
    }

    private static let head = String(decoding: subject.bytes, as: UTF8.self)

    @Test func `parses a journal`() throws {
        let text = Self.head + "2 put\n1 failed\n4 blank\n{\"failures\":\"f\"}\n"
        let journal = try journal(text)
        #expect((1...5).filter(journal.finished.contains) == [1, 2, 4])
        #expect(journal.finished.count(.failed) == 1)
        #expect(journal.failuresPaths == ["f"])
        #expect(journal.byteCount == text.utf8.count)
        #expect(JournalText.Record(2, .put).bytes == Array("2 put\n".utf8))
        #expect(
            JournalText.Record(Array(JournalText.Record.failures(path: "f\n").bytes.dropLast()))
                == .failures(path: "f\n"))
    }

    @Test func `ignores an incomplete record at the end of a journal`() throws {
        let text = Array((Self.head + "2 put\n12 put\n").utf8)
        for count in 0..<text.count {
            let journal = try journal(String(decoding: text[..<count], as: UTF8.self))
            let completeByteCount = text[..<count].lastIndex(of: 10).map { $0 + 1 } ?? 0
            #expect(journal.byteCount == completeByteCount)
            #expect(!journal.finished.contains(1) && !journal.finished.contains(12))
        }
    }

    @Test(arguments: [
        ("nonsense\n", JournalText.MismatchError.notAJournal), ("nonsense", .notAJournal),
        ("{\"a\":1}\n", .notAJournal),
        (head.replacing("\"ab\"", with: "\"cd\""), .inputChanged), (head.replacing(":10", with: ":11"), .inputChanged),
        (head.replacing("push", with: "other"), .differentHub("http://h/other")),
        ("\(head)2 put\n3 pu\n", .invalidRecord(line: 3)), ("\(head)0 put\n", .invalidRecord(line: 2)),
        ("\(head)1  put\n", .invalidRecord(line: 2)), ("\(head)\n", .invalidRecord(line: 2)),
    ])
    func `rejects an invalid journal or that of another import`(text: String, error: JournalText.MismatchError) throws {
        #expect(throws: error) { try journal(text) }
    }

    // MARK: Progress

    @Test func `formats progress, rate and remaining time`() {
        let text = ProgressText(total: 1000, unit: "lines")
        #expect(text.line(finished: 1100, failed: 0, rate: 0, pause: nil).hasPrefix("[################] 110%"))
        #expect(
            text.line(finished: 250, failed: 0, rate: 10, pause: nil)
                == "[####............] 25% 250/1000  10/s  01:15 left")
        #expect(
            text.line(finished: 1000, failed: 2, rate: 0.4, pause: nil)
                == "[################] 100% 1000/1000  2 failed  0/s  00:00 left")
        #expect(
            text.line(finished: 1, failed: 0, rate: 5, pause: .milliseconds(61_500))
                == "[................] 0% 1/1000  throttled for 01:02")
        #expect(
            ProgressText(total: nil, unit: "lines").line(finished: 7, failed: 0, rate: 5, pause: nil) == "7 lines  5/s")
        #expect(
            text.line(finished: 999, failed: 0, rate: 10, pause: nil, hasBar: false) == "99% 999/1000  10/s  00:01 left"
        )
        #expect(ProgressText.time(.seconds(36_065)) == "10:01:05")
        let longest = ProgressText(total: 99_999_999, unit: "lines")
            .line(finished: 99_999_998, failed: 9_999_999, rate: 0.001, pause: nil)
        #expect(longest.count < 80)
    }

    @Test func `measures the rate during the last seconds`() {
        var meter = RateMeter(count: 500)
        #expect(meter.rate == 0)
        meter.add(510, at: .seconds(1))
        #expect(meter.rate == 10)
        for second in 2...30 { meter.add(510 + 100 * (second - 1), at: .seconds(second)) }
        #expect(abs(meter.rate - 100) < 0.001)
    }
}

private struct UnexpectedValue: Error {}

extension LineReader {
    fileprivate func last() throws -> Line? {
        var last: Line?
        while let line = try next() { last = line }
        return last
    }
}

import Foundation
import HubCommandLine
import NotificationHubs
import Testing

@testable import nhub

@Suite struct ImportTextTests {
    /// The lines of a file with the given text.
    private func lines(_ text: String, longest: Int = 100) throws -> LineReader {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return LineReader(try InputFile(path: Array(path.utf8)), longest: longest)
    }

    private func all(_ reader: LineReader) throws -> [LineReader.Line] {
        var lines: [LineReader.Line] = []
        while let line = try reader.next() { lines.append(line) }
        return lines
    }

    @Test func `reads lines whatever their ends`() throws {
        let lines = try all(try lines("a\r\n\n\r\nlast"))
        #expect(lines.map { String(decoding: $0.bytes, as: UTF8.self) } == ["a", "", "", "last"])
        #expect(lines.map(\.number) == [1, 2, 3, 4])
        #expect(lines.map(\.endOffset) == [3, 4, 6, 10])
        #expect(lines.map(\.isTerminated) == [true, true, true, false])
        #expect(try all(try self.lines("")).isEmpty)
        #expect(try all(try self.lines("x\n")).count == 1)
    }

    @Test func `tells whether a line is there without waiting for it`() throws {
        let pipe = Pipe()
        let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        let reader = LineReader(try InputFile(path: Array(path.utf8)), longest: 100)
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

    @Test func `does not read on for ever when it is cancelled`() async throws {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try LineReader(try InputFile(path: Array("/dev/zero".utf8)), longest: 4).isReady()
        }
        task.cancel()
        #expect(try await !task.value)
    }

    @Test func `keeps the beginning of a line that is too long`() throws {
        let long = String(repeating: "x", count: 200_000)
        let lines = try all(try lines("abcd\nabcde\nabcd\r\nabcdef\r\n\(long)\nend", longest: 4))
        #expect(lines.map(\.isCut) == [false, true, false, true, true, false])
        #expect(
            lines.map { String(decoding: $0.bytes, as: UTF8.self) } == ["abcd", "abcd", "abcd", "abcd", "xxxx", "end"])
        #expect(lines.last?.endOffset == 5 + 6 + 6 + 8 + 200_001 + 3)
    }

    private static let installation = #"{"installationId":"A1","platform":"apns","pushChannel":"00fc13adff785122"}"#

    private func read(_ text: String, number: Int = 2, longest: Int = 1000) throws -> ImportLine? {
        try lines(String(repeating: "\n", count: number - 1) + text, longest: longest).last().flatMap { ImportLine($0) }
    }

    @Test(arguments: [
        installation, "  \(installation)\t",
        #"{"line":7,"error":"no","installation":\#(installation)}"#,
        #"{"line":7,"error":"no","text":"{\"installationId\":\"A1\",\"platform\":\"apns\",\"pushChannel\":\"00fc\"}"}"#,
    ])
    func `finds an installation, in a mended failure too`(text: String) throws {
        let line = try #require(try read(text))
        #expect(try line.installation.get().id.rawValue == "A1")
        #expect(line.number == 2)
        guard case .json(let bytes) = line.content else { throw TestFailure() }
        #expect(bytes.starts(with: Array(#"{"installationId""#.utf8)) || text.hasPrefix(" "))
    }

    @Test(arguments: [
        ("{", "no JSON"), ("[]", "no installation"), (#"{"installationId":"a/b"}"#, "no installation"),
        (#"{"line":1,"error":"x"}"#, "no installation"), (#"{"error":"x","text":"oh"}"#, "no JSON"),
        (#"{"error":"x","installation":{}}"#, "no installation"),
        (String(repeating: "x", count: 1001), "the line is longer"),
    ])
    func `says what is wrong with a line`(text: String, problem: String) throws {
        let line = try #require(try read(text))
        guard case .failure(let error) = line.installation else { throw TestFailure() }
        #expect(error.description.hasPrefix(problem))
    }

    @Test func `takes blank lines, and a mark before the first one, for what they are`() throws {
        #expect(try read(" \t") == nil)
        #expect(try read("\u{feff}" + Self.installation, number: 1)?.installation.get() != nil)
        #expect(throws: ImportLine.Unusable.self) {
            try read("\u{feff}" + Self.installation, number: 2)?.installation.get()
        }
    }

    @Test func `writes a failure so that it can be read again`() throws {
        for (text, isJSON) in [("{\"a\":\"\u{e9}\"}", true), ("{\"a\" \u{1b}[1m\"", false)] {
            let line = try #require(try read(text))
            let bytes = FailureFile.bytes(12, "a \"reason\"", line.content)
            guard case .object(let object) = try JSONValue(parsing: bytes.dropLast()) else {
                throw TestFailure()
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

    @Test func `reads a journal`() throws {
        let text = Self.head + "2 put\n1 failed\n4 blank\n{\"failures\":\"f\"}\n"
        let journal = try journal(text)
        #expect((1...5).filter(journal.finished.contains) == [1, 2, 4])
        #expect(journal.finished.count(.failed) == 1)
        #expect(journal.failuresPath == "f")
        #expect(journal.byteCount == text.utf8.count)
        #expect(JournalText.Record(2, .put).bytes == Array("2 put\n".utf8))
        #expect(
            JournalText.Record(Array(JournalText.Record.failures(path: "f\n").bytes.dropLast()))
                == .failures(path: "f\n"))
    }

    @Test func `does without the end of a journal that was broken off anywhere`() throws {
        let text = Array((Self.head + "2 put\n12 put\n").utf8)
        for count in 0..<text.count {
            let journal = try journal(String(decoding: text[..<count], as: UTF8.self))
            let whole = text[..<count].lastIndex(of: 10).map { $0 + 1 } ?? 0
            #expect(journal.byteCount == whole)
            #expect(!journal.finished.contains(1) && !journal.finished.contains(12))
        }
    }

    @Test(arguments: [
        ("nonsense\n", JournalText.Problem.foreign), ("nonsense", .foreign), ("{\"a\":1}\n", .foreign),
        (head.replacing("\"ab\"", with: "\"cd\""), .otherContent), (head.replacing(":10", with: ":11"), .otherContent),
        (head.replacing("push", with: "other"), .otherHub("http://h/other")),
        (head + "2 put\n3 pu\n", .damaged(line: 3)), (head + "0 put\n", .damaged(line: 2)),
        (head + "1  put\n", .damaged(line: 2)), (head + "\n", .damaged(line: 2)),
    ])
    func `refuses what is no journal of this import`(text: String, problem: JournalText.Problem) throws {
        #expect(throws: problem) { try journal(text) }
    }

    // MARK: Progress

    @Test func `shows how far it is, how fast, and how long it will take`() {
        let text = ProgressText(total: 1000)
        #expect(
            text.line(finished: 250, failed: 0, rate: 10, pause: nil)
                == "[####............] 250/1000  10/s  01:15 left")
        #expect(
            text.line(finished: 1000, failed: 2, rate: 0.4, pause: nil)
                == "[################] 1000/1000  2 failed  0/s  00:00 left")
        #expect(
            text.line(finished: 1, failed: 0, rate: 5, pause: .milliseconds(61_500))
                == "[................] 1/1000  the hub asks to wait 01:02")
        #expect(ProgressText(total: nil).line(finished: 7, failed: 0, rate: 5, pause: nil) == "7 lines  5/s")
        #expect(ProgressText.time(.seconds(36_065)) == "10:01:05")
        let longest = ProgressText(total: 99_999_999)
            .line(finished: 99_999_998, failed: 9_999_999, rate: 0.001, pause: nil)
        #expect(longest.count < 80)
    }

    @Test func `measures the rate of the last seconds`() {
        var meter = RateMeter(count: 500)
        #expect(meter.rate == 0)
        meter.add(510, at: .seconds(1))
        #expect(meter.rate == 10)
        for second in 2...30 { meter.add(510 + 100 * (second - 1), at: .seconds(second)) }
        #expect(abs(meter.rate - 100) < 0.001)
    }
}

private struct TestFailure: Error {}

extension LineReader {
    fileprivate func last() throws -> Line? {
        var last: Line?
        while let line = try next() { last = line }
        return last
    }
}

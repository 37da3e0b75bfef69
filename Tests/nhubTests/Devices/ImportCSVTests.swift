import Foundation
import HubCommandLine
import HubTestSupport
import NotificationHubsEmulator
import Testing

@testable import nhub

/// The failure files of CSV files, which are CSV files.
@Suite(.timeLimit(.minutes(30))) struct ImportCSVTests {
    private static let header = "installationId,platform,pushChannel,userId,tags,template:alert\r\n"

    /// A mistake in a record, and its correction.
    struct Mistake: Sendable {
        let record: String
        let corrected: String
        let error: String
    }

    /// Returns each kind of mistake in a record of a device.
    private static func mistakes(_ id: String) -> [Mistake] {
        [
            .init(
                record: "\(id),fcmv1,to\"ken,,,", corrected: "\(id),fcmv1,\"to\"\"ken\",,,",
                error: "column 3: a quotation mark in a field that is not quoted: quote the field, and double the mark"),
            .init(
                record: "\(id),fcmv1,\"tok\"en,,,", corrected: "\(id),fcmv1,token,,,",
                error:
                    "column 3: text after the closing quotation mark; double a quotation mark inside a quoted field"),
            .init(
                record: "\(id),fcmv1", corrected: "\(id),fcmv1,token,,,",
                error: "expected 6 fields, as in the header; got 2"),
            .init(
                record: "\(id),fcmv1,token,,,,", corrected: "\(id),fcmv1,token,,,",
                error: "expected 6 fields, as in the header; got 7"),
            // The byte 0xff, as in Latin-1.
            .init(
                record: "\(id),fcmv1,to\u{ff}ken,,,", corrected: "\(id),fcmv1,token,,,",
                error: "column 3: not valid UTF-8"),
            // A record that the hub or the client rejects.
            .init(
                record: "\(id),apns,zz,zoe,a;b,", corrected: "\(id),apns,00,zoe,a;b,",
                error:
                    "an Apple device token must consist of hexadecimal digits, two for each byte: byte 0 of the text is another character"
            ),
        ]
    }

    /// Returns the bytes of a string in Latin-1, in which each scalar is one byte.
    private static func latin1(_ text: String) -> Data { Data(text.unicodeScalars.map { UInt8($0.value) }) }

    private static func text(of scene: DeviceScene, _ name: String) throws -> String {
        String(
            String.UnicodeScalarView(
                try Data(contentsOf: scene.directory.appending(path: name)).map(UnicodeScalar.init)))
    }

    private static func valid(_ id: String) -> String { "\(id),fcmv1,token,,," }

    private static func write(_ records: [String], to scene: DeviceScene, header: String = Self.header) throws {
        try latin1(header + records.map { $0 + "\r\n" }.joined())
            .write(to: scene.directory.appending(path: "devices.csv"))
    }

    private static func run(_ scene: DeviceScene, _ name: String = "devices.csv") async throws -> BuiltProgram.Outcome {
        try await scene.run("import", name, "--format", "csv")
    }

    @Test(arguments: 0..<6) func `writes a record with a mistake as it is`(kind: Int) async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        let mistake = Self.mistakes("phone-5")[kind]
        var records = (1...10).map { Self.valid("phone-\($0)") }
        records[4] = mistake.record
        try Self.write(records, to: scene)
        let outcome = try await Self.run(scene)
        #expect(outcome.status == 1 && outcome.output.hasPrefix("9 put, 1 failed"), "\(outcome.error)")
        #expect(
            outcome.output.hasSuffix(
                "Failed records are in devices.csv.failures.csv: correct that file, and import it with --format csv.\n")
        )
        let failures = try Self.text(of: scene, "devices.csv.failures.csv")
        #expect(failures == Self.header + "# record 6, line 6: \(mistake.error)\r\n\(mistake.record)\r\n")

        let file = scene.directory.appending(path: "devices.csv.failures.csv")
        try Self.latin1(failures.replacing(mistake.record, with: mistake.corrected)).write(to: file)
        let corrected = try await Self.run(scene, "devices.csv.failures.csv")
        #expect(corrected.status == 0 && corrected.output.hasPrefix("1 put in"), "\(corrected.error)")
        #expect(scene.emulator.installations.count == 10)
    }

    @Test func `writes an uncorrected failure file again without its comments`() async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        let records = (1...5).flatMap { number in Self.mistakes("phone-\(number)").map(\.record) }
        try Self.write(records, to: scene)
        #expect(try await Self.run(scene).output.hasPrefix("0 put, 30 failed"))
        #expect(try await Self.run(scene, "devices.csv.failures.csv").output.hasPrefix("0 put, 30 failed"))
        let first = try Self.text(of: scene, "devices.csv.failures.csv").split(separator: "\r\n")
        let second = try Self.text(of: scene, "devices.csv.failures.csv.failures.csv").split(separator: "\r\n")
        // Calls are concurrent, so the hub's rejections arrive in any order.
        #expect(first.filter { !$0.hasPrefix("#") }.sorted() == second.filter { !$0.hasPrefix("#") }.sorted())
        #expect(first.count == 61 && second.count == 61)
    }

    @Test(arguments: [2, 5, 10]) func `keeps the records that a missing quotation mark joins`(position: Int)
        async throws
    {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        var records = (1...10).map { Self.valid("phone-\($0)") }
        records[position - 1] = "phone-\(position),fcmv1,\"token,,,"
        // The next quotation mark ends the record.
        records[8] = "phone-9,fcmv1,\"token\",,,"
        try Self.write(records, to: scene)
        let outcome = try await Self.run(scene)
        #expect(outcome.status == 1, "\(outcome.error)")
        let failures = try Self.text(of: scene, "devices.csv.failures.csv")
        #expect(failures.contains("\r\n" + records[(position - 1)..<max(position, 9)].joined(separator: "\r\n")))
        let problem =
            position == 10
            ? "the closing quotation mark is missing (the record extends to the end of the file)"
            : "quoted field (the record has \(10 - position) lines: a closing quotation mark may be missing)"
        #expect(
            failures.contains("# record \(position + 1), line \(position + 1): column 3: ")
                && failures.contains(problem))
        try Self.latin1(failures.replacing("\"token,,,", with: "\"token\",,,"))
            .write(to: scene.directory.appending(path: "corrected.csv"))
        #expect(try await Self.run(scene, "corrected.csv").status == 0)
        #expect(scene.emulator.installations.count == 10)
    }

    @Test func `corrects all kinds of mistakes in many records`() async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        let count = representativeCount(20_000)
        let tags = ["a", "b"].map { String(repeating: $0, count: 120) }.joined(separator: ";")
        var records = (1...count).map { "phone-\($0),fcmv1,token,,\(tags)," }
        var corrections: [String: String] = [:]
        // The quoted field contains the rest of the file, which is too long to keep in memory.
        let open = count * 2 / 5
        records[open - 1] = "phone-\(open),fcmv1,\"token,,,"
        corrections[records[open - 1]] = "phone-\(open),fcmv1,\"token\",,,"
        for index in 1..<80 {
            let number = open * index / 80
            let mistakes = Self.mistakes("phone-\(number)")
            let mistake = mistakes[index % mistakes.count]
            records[number - 1] = mistake.record
            corrections[mistake.record] = mistake.corrected
        }
        try Self.write(records, to: scene)
        let outcome = try await Self.run(scene)
        #expect(outcome.output.hasPrefix("\(open - 80) put, 80 failed"), "\(outcome.output)\(outcome.messages)")
        let failures = try Self.text(of: scene, "devices.csv.failures.csv")
        #expect(
            failures.contains(
                "# record \(open + 1), line \(open + 1): the record is longer than 262144 bytes (the record extends to the end of the file: a closing quotation mark is missing)\r\n"
            ))
        let lines = failures.split(separator: "\r\n").map { corrections[String($0)] ?? String($0) }
        try Self.latin1(lines.map { $0 + "\r\n" }.joined()).write(to: scene.directory.appending(path: "corrected.csv"))
        let corrected = try await Self.run(scene, "corrected.csv")
        #expect(
            corrected.status == 0 && corrected.output.hasPrefix("\(count - open + 80) put in"), "\(corrected.output)")
        #expect(scene.emulator.installations.count == count)
    }

    /// Returns the records of devices, every tenth of which has a mistake, and the last one an open field.
    private static func mixed(_ count: Int) -> (records: [String], corrections: [String: String]) {
        var records = (1...count).map { valid("phone-\($0)") }
        var corrections: [String: String] = [:]
        for number in stride(from: 10, through: count, by: 10) {
            let all = mistakes("phone-\(number)")
            let mistake = all[number / 10 % all.count]
            records[number - 1] = mistake.record
            corrections[mistake.record] = mistake.corrected
        }
        records[count - 1] = "phone-\(count),fcmv1,\"token,,,"
        corrections[records[count - 1]] = "phone-\(count),fcmv1,\"token\",,,"
        return (records, corrections)
    }

    @Test func `loses and doubles no failure when killed`() async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        let (records, corrections) = Self.mixed(400)
        try Self.write(records, to: scene)
        for count in [1, 60, 90, 100, 70] {
            let killed = try await scene.runKilled(
                "import", "devices.csv", "--format", "csv", "--concurrency", "8", after: count)
            #expect(killed.status == SIGKILL)
        }
        let outcome = try await Self.run(scene)
        #expect(outcome.output.hasPrefix("360 put, 40 failed"), "\(outcome.output)\(outcome.messages)")
        let again = try await Self.run(scene)
        #expect(again.output.hasPrefix("360 put, 40 failed"))
        let failures = try Self.text(of: scene, "devices.csv.failures.csv")
        let lines = failures.split(separator: "\r\n").map(String.init)
        #expect(lines.count == 81 && lines.first.map { $0 + "\r\n" } == Self.header)
        #expect(
            lines.compactMap { FailureComment.number(in: Array($0.utf8)) }.sorted()
                == Array(stride(from: 11, through: 401, by: 10)))
        #expect(lines.last == records.last, "the open field is at the end")
        try Self.latin1(lines.map { (corrections[$0] ?? $0) + "\r\n" }.joined())
            .write(to: scene.directory.appending(path: "corrected.csv"))
        #expect(try await Self.run(scene, "corrected.csv").output.hasPrefix("40 put in"))
        #expect(scene.emulator.installations.count == 400)
    }

    @Test func `writes an open field after the device that the hub rejects last`() async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        scene.emulator.faults = try .init([.init("PUT /installations/phone-1 status=400 latency=500ms")])
        try Self.write([Self.valid("phone-1"), Self.valid("phone-2"), "phone-3,fcmv1,\"token,,,"], to: scene)
        #expect(try await Self.run(scene).output.hasPrefix("1 put, 2 failed"))
        let lines = try Self.text(of: scene, "devices.csv.failures.csv").split(separator: "\r\n")
        #expect(lines.count == 5 && lines[2] == "phone-1,fcmv1,token,,," && lines[4] == "phone-3,fcmv1,\"token,,,")
    }

    @Test(arguments: ["", "\u{feff}"]) func `resumes after a write that ended at any byte`(mark: String) throws {
        let header = mark + Self.header
        let directory = FileManager.default.temporaryDirectory.appending(path: "import-csv-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let input = directory.appending(path: "devices.csv")
        try Data((header + "a\r\n\"b\r\nb\"\r\n\"c\r\n").utf8).write(to: input)
        let options = try ImportOptions(Arguments([input.path, "--format", "csv"]))
        let parts = [
            header, "# record 2, line 2: x\r\na\r\n", "# record 3, line 3: y\r\n\"b\r\nb\"\r\n",
            "# record 4, line 5: z\r\n\"c\r\n",
        ]
        /// Adds the failed records with these numbers.
        func add(_ numbers: [Int], to records: ImportRecords) throws {
            records.failures.header = Array(header.utf8)
            if numbers.contains(2) { try records.addFailure(2, "line 2: x", .record(Array("a".utf8)), now: .zero) }
            if numbers.contains(3) {
                try records.addFailure(3, "line 3: y", .record(Array("\"b\r\nb\"".utf8)), now: .zero)
            }
            if numbers.contains(4) {
                try records.addFailure(4, "line 5: z", .record(Array("\"c\r\n".utf8)), now: .zero)
            }
            try records.synchronize()
        }
        let complete = Array(parts.joined().utf8)
        for count in 0...complete.count {
            try? FileManager.default.removeItem(atPath: options.journalPath)
            try? FileManager.default.removeItem(atPath: options.failuresPath)
            try ImportRecords(options, hub: "h").addFailure(2, "line 2: x", .record(Array("a".utf8)), now: .zero)
            // The journal has the path of the file only.
            try Data(complete.prefix(count)).write(to: URL(filePath: options.failuresPath))
            let finished = try ImportRecords(options, hub: "h").finished
            // The open field of the last record never counts as complete.
            let ends = [parts[0...1].joined().utf8.count, parts[0...2].joined().utf8.count]
            let numbers = [2, 3].filter { count >= ends[$0 - 2] }
            #expect([2, 3, 4].filter(finished.contains) == numbers, "\(count)")
            try add([2, 3, 4].filter { !numbers.contains($0) }, to: ImportRecords(options, hub: "h"))
            #expect(try Data(contentsOf: URL(filePath: options.failuresPath)) == Data(complete), "\(count)")
            #expect(try ImportRecords(options, hub: "h").finished.count(.failed) == 3)
            #expect(try Data(contentsOf: URL(filePath: options.failuresPath)) == Data(complete), "\(count)")
        }
    }

    @Test func `keeps the header's byte order mark, order and line breaks`() async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        try scene.write("\u{feff}PushChannel,\"installationid\",Platform\nzz,phone-1,ios\n", to: "devices.csv")
        #expect(try await Self.run(scene).status == 1)
        let text = try BuiltProgram.text(of: scene.directory.appending(path: "devices.csv.failures.csv"))
        #expect(text.hasPrefix("\u{feff}PushChannel,\"installationid\",Platform\r\n# record 2, line 2: "))
        #expect(text.hasSuffix("\r\nzz,phone-1,ios\r\n"))
        try scene.write(text.replacing("zz", with: "00"), to: "corrected.csv")
        #expect(try await Self.run(scene, "corrected.csv").status == 0)
    }

    @Test func `writes the failures of standard input, except a record that is too long`() async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        let long = "phone-2,fcmv1,\"" + String(repeating: "x", count: 300_000) + "\",,,\r\n"
        let outcome = try await scene.shell(
            "exec \"$0\" import - --format csv", input: Self.header + "phone-1\r\n\(long)phone-3,fcmv1,token,,,\r\n")
        #expect(outcome.status == 1 && outcome.output.hasPrefix("1 put, 2 failed"), "\(outcome.error)")
        let text = try BuiltProgram.text(of: scene.directory.appending(path: "stdin.failures.csv"))
        #expect(
            text == Self.header + "# record 2, line 2: expected 6 fields, as in the header; got 1\r\nphone-1\r\n"
                + "# record 3, line 3: the record is longer than 262144 bytes; the record is omitted here, because "
                + "standard input cannot be read again: correct the input\r\n")
        #expect(try await Self.run(scene, "stdin.failures.csv").output.hasPrefix("0 put, 1 failed"))
    }

    @Test func `counts the lines of a record that is too long`() async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        let long = "phone-2,fcmv1,\"" + String(repeating: "x\r\n", count: 100_000) + "\",,,"
        try Self.write([long, "phone-3"], to: scene)
        #expect(try await Self.run(scene).output.hasPrefix("0 put, 2 failed"))
        let failures = try Self.text(of: scene, "devices.csv.failures.csv")
        #expect(
            failures.hasPrefix(
                Self.header
                    + "# record 2, line 2: the record is longer than 262144 bytes (the record has 100001 lines: a closing quotation mark may be missing)\r\n\(long)\r\n"
            ))
        #expect(failures.contains("\r\n# record 3, line 100003: expected 6 fields"))
    }

    @Test func `writes comments that end at the end of their line`() throws {
        let comment = FailureComment(number: 12, reason: "line 13: \"a\",\"b\"\n\u{1b}[1m\r\n")
        #expect(comment.bytes == Array("# record 12, line 13: 'a','b'  [1m  \r\n".utf8))
        #expect(FailureComment.number(in: comment.bytes) == 12)
        let long = FailureComment(number: 1, reason: "line 1: " + String(repeating: "é", count: 5000)).bytes
        #expect(
            long.count <= FailureComment.maximumLength + 2 && Array(String(decoding: long, as: UTF8.self).utf8) == long)
        for text in ["# record , line 1: x", "# record 1: x", "#record 1, line 1", " # record 1, line 1: x", "# a"] {
            #expect(FailureComment.number(in: Array(text.utf8)) == nil, "\(text)")
        }
    }
}

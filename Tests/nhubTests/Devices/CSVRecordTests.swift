import Testing

@testable import nhub

@Suite struct CSVRecordTests {
    @Test(arguments: [
        ("", [""]), ("a", ["a"]), ("a,b", ["a", "b"]), (",", ["", ""]), ("a,,", ["a", "", ""]),
        (" a , b ", [" a ", " b "]),
        (#""a,b",c"#, ["a,b", "c"]), (#""a""b""#, [#"a"b"#]), (#""""""#, [#"""#]),
        ("\"a\r\nb\"", ["a\r\nb"]), (#""ä🎉",ö"#, ["ä🎉", "ö"]),
    ])
    func `parses a record`(text: String, fields: [String]) throws {
        #expect(try CSVRecord(Array(text.utf8)).fields == fields)
    }

    @Test(arguments: [
        (#""a"#, 1, "closing quotation mark is missing"), (#"a,"b"""#, 2, "closing quotation mark is missing"),
        (#"a,b"c"#, 2, "not quoted"), (#"a,"b"c"#, 2, "after the closing quotation mark"),
    ])
    func `names the column of an invalid field`(text: String, column: Int, reason: String) {
        let error = #expect(throws: CSVRecord.SyntaxError.self) { try CSVRecord(Array(text.utf8)) }
        #expect(
            error?.column == column && error?.reason.contains(reason) == true, "\(text): \(error?.description ?? "")")
    }

    @Test func `rejects text that is not UTF-8`() {
        let error = #expect(throws: CSVRecord.SyntaxError.self) { try CSVRecord([0x61, 0x2c, 0xff]) }
        #expect(error == CSVRecord.SyntaxError(column: 2, reason: "not valid UTF-8"))
    }

    @Test func `writes records that it parses`() throws {
        let characters = ["a", ",", "\"", "\n", "\r", " ", "ä", "\u{301}", ";"]
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let fields = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                    characters.randomElement(using: &generator) ?? ""
                }
                .joined()
            }
            let bytes = CSVRecord(fields: fields).bytes
            #expect(bytes.suffix(2) == [0x0d, 0x0a])
            #expect(
                try CSVRecord(Array(bytes.dropLast(2))).fields.map { Array($0.utf8) } == fields.map { Array($0.utf8) })
        }
    }
}

import Foundation
import HubCommandLine
import Testing

@testable import nhub

@Suite struct ImportRecordsTests {
    @Test func `writes a failure before the journal records it`() throws {
        let scene = try ImportScene(["x", ImportScene.line("a")])
        defer { scene.remove() }
        let records = try ImportRecords(try ImportOptions(Arguments([scene.input.path])), hub: "h")
        try records.addFailure(1, "no", .text("x"), now: .zero)
        #expect(scene.failedNumbers == [1])
        #expect(scene.journal?.contains("1 failed") == false)
        try records.add(2, .put, now: .seconds(2))
        #expect(scene.journal?.suffix(2) == ["2 put", "1 failed"])
    }

    @Test func `recovers failures that the journal lacks`() throws {
        let scene = try ImportScene(["x", "y", ImportScene.line("a")])
        defer { scene.remove() }
        let options = try ImportOptions(Arguments([scene.input.path]))
        do {
            let records = try ImportRecords(options, hub: "h")
            try records.addFailure(1, "no", .text("x"), now: .zero)
            try records.addFailure(2, "no", .text("y"), now: .zero)
        }
        let records = try ImportRecords(options, hub: "h")
        #expect(records.finished.count(.failed) == 2)
        #expect(scene.journal?.suffix(2) == ["1 failed", "2 failed"])
        #expect(scene.failedNumbers == [1, 2])
    }

    @Test func `truncates an incomplete journal record`() throws {
        let scene = try ImportScene([ImportScene.line("a"), ImportScene.line("b")])
        defer { scene.remove() }
        let options = try ImportOptions(Arguments([scene.input.path]))
        do {
            let records = try ImportRecords(options, hub: "h")
            try records.add(1, .put, now: .zero)
        }
        try AppendedFile(path: options.journalPath, .open).append(Array("1".utf8))
        try ImportRecords(options, hub: "h").add(2, .put, now: .zero)
        #expect(scene.journal?.suffix(2) == ["1 put", "2 put"])
        #expect(try ImportRecords(options, hub: "h").finished.mark == 2)
    }
}

import DeviceRegistration
import Foundation
import NotificationHubs
import Testing

@Suite struct FileRegistrationIDStorageTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "registration-\(UUID())").path
    private var storage: FileRegistrationIDStorage { FileRegistrationIDStorage(path: path) }

    @Test func `keeps an ID until it is removed, and ignores a second removal`() throws {
        #expect(try storage.registrationID() == nil)
        for text in ["1-2-3", "4-5-6"] {
            try storage.setRegistrationID(try Registration.ID(validating: text))
            #expect(try FileRegistrationIDStorage(path: path).registrationID()?.rawValue == text)
        }
        try storage.setRegistrationID(nil)
        try storage.setRegistrationID(nil)
        #expect(try storage.registrationID() == nil)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: ["", "\n", "../x\n", "a b\n"])
    func `ignores a file whose first line is not a valid ID`(text: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try storage.registrationID() == nil)
    }

    @Test func `ignores the lines after the first`() throws {
        try "1-2-3\nmore".write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try storage.registrationID()?.rawValue == "1-2-3")
    }

    @Test func `ignores a file that is not UTF-8`() throws {
        try Data([0xff, 0xfe, 0]).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try storage.registrationID() == nil)
    }

    @Test func `throws if the file cannot be written`() throws {
        let storage = FileRegistrationIDStorage(path: path + "/no/such/folder")
        let id = try Registration.ID(validating: "1")
        #expect(throws: CocoaError.self) { try storage.setRegistrationID(id) }
    }
}

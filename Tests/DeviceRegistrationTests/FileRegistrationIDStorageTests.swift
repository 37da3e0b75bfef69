import DeviceRegistration
import Foundation
import NotificationHubs
import Testing

@Suite("FileRegistrationIDStorage")
struct FileRegistrationIDStorageTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "registration-\(UUID())").path
    private var storage: FileRegistrationIDStorage { FileRegistrationIDStorage(path: path) }

    @Test("keeps an ID until it is removed, and ignores a second removal")
    func keeps() throws {
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

    @Test("ignores a file whose first line is not a valid ID", arguments: ["", "\n", "../x\n", "a b\n", "1-2-3\nmore"])
    func damaged(text: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try storage.registrationID()?.rawValue == (text.hasPrefix("1-2-3") ? "1-2-3" : nil))
    }

    @Test("ignores a file that is not UTF-8")
    func invalidUTF8() throws {
        try Data([0xff, 0xfe, 0]).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try storage.registrationID() == nil)
    }

    @Test("throws if the file cannot be written")
    func unwritable() throws {
        let storage = FileRegistrationIDStorage(path: path + "/no/such/folder")
        #expect(throws: (any Error).self) { try storage.setRegistrationID(try Registration.ID(validating: "1")) }
    }
}

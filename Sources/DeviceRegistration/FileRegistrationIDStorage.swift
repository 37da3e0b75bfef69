#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif
import HubText
public import NotificationHubs

/// Keeps the id in a file of its own, that is replaced as a whole: a line with the id.
public struct FileRegistrationIDStorage: RegistrationIDStorage {
    private let path: String

    /// A storage in a file, which need not be there yet; its folder is.
    ///
    /// On a phone choose the folder for application support, and keep the file from backups: a registration is this device's.
    public init(path: String) {
        self.path = path
    }

    /// The id that is kept; `nil` if there is no file, or nothing in it that is an id.
    ///
    /// - Throws: what the file system says, if there is a file and it cannot be read.
    public func registrationID() throws -> Registration.ID? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        // Foundation does not give back the memory of an empty file that it has read.
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        guard size != 0 else { return nil }
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let line = String(strictUTF8: bytes.prefix { $0 != UInt8(ascii: "\n") })
        return line.flatMap { try? Registration.ID(validating: $0) }
    }

    /// Keeps an id in place of the one before; `nil` removes the file.
    ///
    /// - Throws: what the file system says.
    public func setRegistrationID(_ id: Registration.ID?) throws {
        if let id {
            try Data("\(id)\n".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } else if FileManager.default.fileExists(atPath: path) {
            try FileManager.default.removeItem(atPath: path)
        }
    }
}

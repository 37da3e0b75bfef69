private import HubLock
import HubText
public import NotificationHubs

#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// Keeps the id of this device's registration from one start of the app to the next.
///
/// One registrar uses it at a time. The id is not secret, but should not be restored onto another device.
public protocol RegistrationIDStorage: Sendable {
    /// The id that is kept, if there is one.
    func registrationID() async throws -> Registration.ID?
    /// Keeps an id in place of the one before; `nil` forgets it.
    func setRegistrationID(_ id: Registration.ID?) async throws
}

/// Keeps the id while the program runs: for tests, and where the backend finds it again by the device's handle.
public struct MemoryRegistrationIDStorage: RegistrationIDStorage {
    private let kept: Locked<Registration.ID?>

    /// A storage that has an id already, or none.
    public init(_ id: Registration.ID? = nil) {
        kept = Locked(id)
    }

    /// The id that is kept, if there is one.
    public func registrationID() -> Registration.ID? {
        kept.withLock { $0 }
    }

    /// Keeps an id in place of the one before; `nil` forgets it.
    public func setRegistrationID(_ id: Registration.ID?) {
        kept.withLock { $0 = id }
    }
}

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

extension RegistrationIDStorage where Self == MemoryRegistrationIDStorage {
    /// A new storage that keeps the id while the program runs.
    public static var memory: MemoryRegistrationIDStorage { MemoryRegistrationIDStorage() }
}

extension RegistrationIDStorage where Self == FileRegistrationIDStorage {
    /// A storage in a file. The folder must exist.
    public static func file(path: String) -> FileRegistrationIDStorage { FileRegistrationIDStorage(path: path) }
}

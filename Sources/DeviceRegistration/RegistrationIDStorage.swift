private import HubLock
import HubText
public import NotificationHubs

#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// A storage that keeps the ID of this device's registration between app launches.
///
/// Only one registrar may use a storage at a time. The ID is not secret, but must not be restored onto another device.
public protocol RegistrationIDStorage: Sendable {
    /// Returns the stored ID, or `nil` if none is stored.
    func registrationID() async throws -> Registration.ID?
    /// Stores an ID, replacing the previous one; `nil` removes it.
    func setRegistrationID(_ id: Registration.ID?) async throws
}

/// A storage in memory, for tests, and for backends that find a registration by the device's handle.
public struct MemoryRegistrationIDStorage: RegistrationIDStorage {
    private let id: Locked<Registration.ID?>

    /// Creates a storage that contains an ID, or an empty storage for `nil`.
    public init(_ id: Registration.ID? = nil) {
        self.id = Locked(id)
    }

    /// Returns the stored ID, or `nil` if none is stored.
    public func registrationID() -> Registration.ID? {
        id.withLock { $0 }
    }

    /// Stores an ID, replacing the previous one; `nil` removes it.
    public func setRegistrationID(_ id: Registration.ID?) {
        self.id.withLock { $0 = id }
    }
}

/// A storage in a file that contains one line with the ID. Writes replace the file atomically.
public struct FileRegistrationIDStorage: RegistrationIDStorage {
    private let path: String

    /// Creates a storage in a file. The file's directory must exist.
    ///
    /// On a phone, use the Application Support directory and exclude the file from backups, because a registration
    /// belongs to one device.
    public init(path: String) {
        self.path = path
    }

    /// Returns the stored ID, or `nil` if the file does not exist or contains no valid ID.
    ///
    /// - Throws: Foundation's error if the file exists but cannot be read.
    public func registrationID() throws -> Registration.ID? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        // Foundation leaks memory when it reads an empty file.
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        guard size != 0 else { return nil }
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let line = String(strictUTF8: bytes.prefix { $0 != UInt8(ascii: "\n") })
        return line.flatMap { try? Registration.ID(validating: $0) }
    }

    /// Stores an ID, replacing the previous one; `nil` removes the file.
    ///
    /// - Throws: Foundation's error if the file cannot be written or removed.
    public func setRegistrationID(_ id: Registration.ID?) throws {
        if let id {
            try Data("\(id)\n".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } else if FileManager.default.fileExists(atPath: path) {
            try FileManager.default.removeItem(atPath: path)
        }
    }
}

extension RegistrationIDStorage where Self == MemoryRegistrationIDStorage {
    /// A new storage in memory.
    public static var memory: MemoryRegistrationIDStorage { MemoryRegistrationIDStorage() }
}

extension RegistrationIDStorage where Self == FileRegistrationIDStorage {
    /// Returns a storage in a file. The file's directory must exist.
    public static func file(path: String) -> FileRegistrationIDStorage { FileRegistrationIDStorage(path: path) }
}

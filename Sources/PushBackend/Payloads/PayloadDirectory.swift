#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import HubLock

/// A directory that only its owner can access, with atomic file writes.
///
/// All file names are relative to the open directory, so a replaced path component cannot redirect them.
final class PayloadDirectory: Sendable {
    typealias Failure = DirectoryPayloadStoreError

    private let descriptor: CInt

    /// Opens and locks a directory, and creates it if necessary.
    init(path: String) throws(Failure) {
        guard !path.utf8.contains(0), !path.isEmpty else { throw Failure("open the directory", ENOENT) }
        if systemMakeDirectory(path) {
            try Self.synchronize(parentOf: path)
        } else if errno != EEXIST {
            throw Failure("create the directory", errno)
        }
        let descriptor = systemOpen(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure("open the directory", errno) }
        self.descriptor = descriptor
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Failure("inspect the directory", errno) }
        guard status.st_uid == geteuid() else { throw .wrongOwner }
        guard status.st_mode & 0o077 == 0 else { throw .accessibleToOthers }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? .inUse : Failure("lock the directory", errno)
        }
    }

    deinit {
        // Closing may not release the lock: a child process that is being started holds a copy of the descriptor.
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    /// Returns the names of the directory's entries.
    func names() throws(Failure) -> [String] {
        // Reading changes the descriptor's position, so use another descriptor.
        let names = systemNames(systemOpen(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        guard let names else { throw Failure("read the directory", errno) }
        return names
    }

    /// Returns the length of a file, or `nil` if it is not a regular file or does not exist, for example because its name is not
    /// UTF-8.
    func byteCount(of name: String) throws(Failure) -> Int? {
        var status = stat()
        guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw Failure("inspect a payload", errno)
        }
        return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    /// Creates or replaces a file, and waits until it is on the disk under its name.
    ///
    /// - Parameter draft: The file's name while it is being written.
    func write(_ bytes: [UInt8], to name: String, draft: String) throws(Failure) {
        _ = systemRemove(descriptor, draft)
        guard let file = try open(draft, O_WRONLY | O_CREAT | O_EXCL) else {
            throw Failure("write a payload", ENOENT)
        }
        do throws(Failure) {
            defer { _ = close(file) }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = systemWrite(file, rest)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Failure("write a payload", errno) }
                rest = rest.dropFirst(count)
            }
            guard synchronizeFile(file) else { throw Failure("write a payload", errno) }
            guard systemRename(descriptor, draft, name) else { throw Failure("rename a payload", errno) }
        } catch {
            _ = systemRemove(descriptor, draft)
            throw error
        }
        try synchronize()
    }

    /// Returns the contents of a file, or `nil` if it does not exist.
    func read(_ name: String) throws(Failure) -> [UInt8]? {
        guard let file = try open(name, O_RDONLY) else { return nil }
        defer { _ = close(file) }
        var bytes: [UInt8] = []
        while true {
            let count = systemRead(file, 65_536, into: &bytes)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure("read a payload", errno) }
            if count == 0 { return bytes }
        }
    }

    /// Deletes a file, if it exists, without waiting for the disk; see ``synchronize()``.
    func remove(_ name: String) throws(Failure) {
        guard removeIfPossible(name) else { throw Failure("delete a payload", errno) }
    }

    /// Deletes a file, if it exists. Returns whether it is now gone.
    func removeIfPossible(_ name: String) -> Bool {
        systemRemove(descriptor, name) || errno == ENOENT
    }

    /// - Returns: The file's descriptor, or `nil` if the file does not exist.
    private func open(_ name: String, _ flags: CInt) throws(Failure) -> CInt? {
        // O_NONBLOCK: opening a pipe must not wait for its other end.
        let file = systemOpen(descriptor, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            guard errno == ENOENT else { throw Failure("open a payload", errno) }
            return nil
        }
        return file
    }

    /// Waits until all changes of the directory are on the disk.
    func synchronize() throws(Failure) {
        guard synchronizeFile(descriptor) else { throw Failure("write the directory", errno) }
    }

    private static func synchronize(parentOf path: String) throws(Failure) {
        let parent = systemOpen(AT_FDCWD, path + "/..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw Failure("open the directory", errno) }
        defer { _ = close(parent) }
        guard synchronizeFile(parent) else { throw Failure("write the directory", errno) }
    }
}

/// An error of a ``DirectoryPayloadStore``. It contains neither the path nor a payload.
public struct DirectoryPayloadStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem, in one line.
    public let description: String

    private init(description: String) {
        self.description = description
    }

    init(_ action: String, _ code: CInt) {
        let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        self.init(description: "cannot \(action): \(reason)")
    }

    static let inUse = Self(description: "the directory is in use by another store in this or another process")
    static let wrongOwner = Self(description: "the directory belongs to another user: chown it")
    static let accessibleToOthers = Self(description: "the directory is accessible to other users: chmod 700 it")
    static let corruptFile = Self(description: "the file of a payload is corrupt")
}

private func systemMakeDirectory(_ path: String) -> Bool {
    unsafe mkdir(path, 0o700) == 0
}

/// Returns the names in a directory except `.` and `..`, or `nil` if it cannot be read. Closes the descriptor.
private func systemNames(_ descriptor: CInt) -> [String]? {
    guard descriptor >= 0 else { return nil }
    guard let directory = unsafe fdopendir(descriptor) else {
        let code = errno
        _ = close(descriptor)
        errno = code
        return nil
    }
    defer { _ = unsafe closedir(directory) }
    var names: [String] = []
    while true {
        errno = 0
        guard let entry = unsafe readdir(directory) else { return errno == 0 ? names : nil }
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { names.append(name) }
    }
}

private func systemOpen(_ directory: CInt, _ name: String, _ flags: CInt) -> CInt {
    unsafe openat(directory, name, flags, mode_t(0o600))
}

private func systemWrite(_ file: CInt, _ bytes: ArraySlice<UInt8>) -> Int {
    unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
}

private func systemRead(_ file: CInt, _ count: Int, into bytes: inout [UInt8]) -> Int {
    var readCount = 0, code: CInt = 0
    unsafe bytes += Array(unsafeUninitializedCapacity: count) { buffer, initializedCount in
        (readCount, code) = unsafe (read(file, buffer.baseAddress, count), errno)
        initializedCount = max(0, readCount)
    }
    errno = code
    return readCount
}

private func systemRename(_ directory: CInt, _ from: String, _ to: String) -> Bool {
    unsafe renameat(directory, from, directory, to) == 0
}

private func systemRemove(_ directory: CInt, _ name: String) -> Bool {
    unsafe unlinkat(directory, name, 0) == 0
}

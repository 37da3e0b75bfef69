#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A directory for its owner alone, whose files are written as a whole. Files are named relative to it, so that no path leads
/// elsewhere meanwhile.
final class PayloadDirectory: Sendable {
    typealias Failure = DirectoryPayloadStoreError

    private let descriptor: CInt

    /// Opens a directory and keeps it for this process, or creates it.
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
        guard unsafe fstat(descriptor, &status) == 0 else { throw Failure("look at the directory", errno) }
        guard status.st_uid == geteuid() else { throw .ofAnother }
        guard status.st_mode & 0o077 == 0 else { throw .openToOthers }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? .inUse : Failure("lock the directory", errno)
        }
    }

    deinit {
        // A process that is being started has a copy of the descriptor, which would keep the lock.
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    /// What there is.
    func names() throws(Failure) -> [String] {
        // Reading moves a descriptor on.
        let names = systemNames(systemOpen(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        guard let names else { throw Failure("read the directory", errno) }
        return names
    }

    /// How long a file is; `nil` if it is no regular file.
    func byteCount(of name: String) throws(Failure) -> Int? {
        var status = stat()
        guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw Failure("look at a payload", errno)
        }
        return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    /// Puts bytes in place of a file, or where none is, and waits until they stand on the disk under that name.
    ///
    /// - Parameter draft: what it is called meanwhile.
    func write(_ bytes: [UInt8], to name: String, draft: String) throws(Failure) {
        systemRemove(descriptor, draft)
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
            guard systemSynchronize(file) else { throw Failure("write a payload", errno) }
            guard systemRename(descriptor, draft, name) else { throw Failure("name a payload", errno) }
        } catch {
            systemRemove(descriptor, draft)
            throw error
        }
        try synchronize()
    }

    /// What stands in a file; `nil` if there is none.
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

    /// Deletes a file, if there is one. Not waited for: see ``synchronize()``.
    func remove(_ name: String) throws(Failure) {
        guard isRemoved(name) else { throw Failure("delete a payload", errno) }
    }

    /// Deletes a file, if there is one, and says whether there is none now.
    func isRemoved(_ name: String) -> Bool {
        systemRemove(descriptor, name) || errno == ENOENT
    }

    /// - Returns: `nil` if there is no such file.
    private func open(_ name: String, _ flags: CInt) throws(Failure) -> CInt? {
        // Nor does it wait for the other end of a pipe.
        let file = systemOpen(descriptor, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            guard errno == ENOENT else { throw Failure("open a payload", errno) }
            return nil
        }
        return file
    }

    /// Waits until what was written and deleted stands so on the disk.
    func synchronize() throws(Failure) {
        guard systemSynchronize(descriptor) else { throw Failure("write the directory", errno) }
    }

    private static func synchronize(parentOf path: String) throws(Failure) {
        let parent = systemOpen(AT_FDCWD, path + "/..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw Failure("open the directory", errno) }
        defer { _ = close(parent) }
        guard systemSynchronize(parent) else { throw Failure("write the directory", errno) }
    }
}

/// A directory cannot be used. The error contains neither the path nor a payload.
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

    static let inUse = Self(description: "another process, or another store of this process, uses the directory")
    static let ofAnother = Self(description: "the directory belongs to another user: chown it")
    static let openToOthers = Self(description: "other users can enter the directory: chmod 700 it")
    static let damaged = Self(description: "the file of a payload was changed")
}

private func systemMakeDirectory(_ path: String) -> Bool {
    unsafe mkdir(path, 0o700) == 0
}

/// The names in a directory but its own and its parent's, by a descriptor that is closed; `nil` if it cannot be read.
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
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: count))
    let readCount = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe read(file, UnsafeMutableRawBufferPointer(rebasing: buffer[start...]).baseAddress, count)
    }
    let code = errno
    bytes.removeLast(count - max(0, readCount))
    errno = code
    return readCount
}

private func systemSynchronize(_ file: CInt) -> Bool {
    #if canImport(Darwin)
    // There fsync leaves bytes in the disk's own memory.
    if fcntl(file, F_FULLFSYNC) == 0 { return true }
    #endif
    return fsync(file) == 0
}

private func systemRename(_ directory: CInt, _ from: String, _ to: String) -> Bool {
    unsafe renameat(directory, from, directory, to) == 0
}

@discardableResult
private func systemRemove(_ directory: CInt, _ name: String) -> Bool {
    unsafe unlinkat(directory, name, 0) == 0
}

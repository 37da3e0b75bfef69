#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A directory for its owner alone, whose files are written as a whole. Files are named relative to it, so that no path leads
/// elsewhere meanwhile.
final class PayloadDirectory: Sendable {
    typealias Failure = DirectoryPayloadStore.Failure

    private let path: String
    private let descriptor: CInt

    /// Opens a directory and keeps it for this process, or creates it.
    init(path: String) throws(Failure) {
        guard !path.utf8.contains(0), !path.isEmpty else { throw Failure("open the directory", ENOENT) }
        self.path = path
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
        guard status.st_mode & 0o077 == 0 else { throw .openToOthers }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? .inUse : Failure("lock the directory", errno)
        }
    }

    deinit {
        _ = close(descriptor)
    }

    /// What files there are.
    func names() throws(Failure) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw Failure("read the directory", EIO)
        }
    }

    func byteCount(of name: String) throws(Failure) -> Int {
        let file = try open(name, O_RDONLY)
        defer { _ = close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw Failure("look at a payload", errno) }
        return Int(status.st_size)
    }

    /// Puts bytes in place of a file, or where none is, and waits until they stand on the disk under that name.
    ///
    /// - Parameter draft: what it is called meanwhile.
    func write(_ bytes: [UInt8], to name: String, draft: String) throws(Failure) {
        systemRemove(descriptor, draft)
        let file = try open(draft, O_WRONLY | O_CREAT | O_EXCL)
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

    func read(_ name: String) throws(Failure) -> [UInt8] {
        let file = try open(name, O_RDONLY)
        defer { _ = close(file) }
        var bytes: [UInt8] = []
        while true {
            let count = systemRead(file, 65_536, into: &bytes)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure("read a payload", errno) }
            if count == 0 { return bytes }
        }
    }

    /// Deletes a file, if there is one. Not waited for: a file that comes back is one whose name says that it has ended, or one
    /// whose removal nobody was told of as done.
    func remove(_ name: String) throws(Failure) {
        guard systemRemove(descriptor, name) || errno == ENOENT else { throw Failure("delete a payload", errno) }
    }

    private func open(_ name: String, _ flags: CInt) throws(Failure) -> CInt {
        let file = systemOpen(descriptor, name, flags | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw Failure("open a payload", errno) }
        return file
    }

    private func synchronize() throws(Failure) {
        guard systemSynchronize(descriptor) else { throw Failure("write the directory", errno) }
    }

    private static func synchronize(parentOf path: String) throws(Failure) {
        let parent = systemOpen(AT_FDCWD, path + "/..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw Failure("open the directory", errno) }
        defer { _ = close(parent) }
        guard systemSynchronize(parent) else { throw Failure("write the directory", errno) }
    }
}

extension DirectoryPayloadStore {
    /// Why a directory cannot be used. It holds neither the path nor a payload.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// What went wrong, in one line.
        public let description: String

        private init(description: String) {
            self.description = description
        }

        init(_ action: String, _ code: CInt) {
            let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
            self.init(description: "cannot \(action): \(reason)")
        }

        static let inUse = Failure(description: "another process, or another store of this one, has the directory")
        static let openToOthers = Failure(description: "others than its owner may enter the directory: chmod 700 it")
        static let damaged = Failure(description: "a payload's file is not as it was written")
    }
}

private func systemMakeDirectory(_ path: String) -> Bool {
    unsafe mkdir(path, 0o700) == 0
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

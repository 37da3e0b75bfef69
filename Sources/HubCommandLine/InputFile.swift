#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is read from its beginning on, piece by piece.
package struct InputFile: ~Copyable {
    private let descriptor: CInt
    private let isOwned: Bool

    /// Standard input.
    package static var standardInput: InputFile { InputFile(descriptor: STDIN_FILENO, isOwned: false) }

    private init(descriptor: CInt, isOwned: Bool) {
        self.descriptor = descriptor
        self.isOwned = isOwned
    }

    /// Opens a file.
    ///
    /// - Parameter path: the path's bytes, which need be no text.
    /// - Throws: ``Unreadable`` if there is none, or it may not be read.
    package init(path: [UInt8]) throws(Unreadable) {
        guard !path.contains(0) else { throw Unreadable(code: ENOENT) }
        let path = (path + [0]).map { CChar(bitPattern: $0) }
        let descriptor = unsafe systemOpen(path)
        guard descriptor >= 0 else { throw Unreadable(code: errno) }
        self.init(descriptor: descriptor, isOwned: true)
    }

    deinit {
        if isOwned { _ = close(descriptor) }
    }

    /// Whether it is a file of a disk, which can be read again and again, rather than a pipe, a terminal or a directory.
    package var isRegular: Bool { Descriptor.isRegular(descriptor) }

    /// Whether reading need not wait: there are bytes, or it is the end.
    package var isReady: Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&polled, 1, 0) > 0
    }

    /// Appends what comes next, up to a number of bytes, as soon as there is any.
    ///
    /// - Returns: how many bytes came: none at the end.
    package func read(upTo count: Int, into bytes: inout [UInt8]) throws(Unreadable) -> Int {
        var code: CInt = 0
        let piece = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, readCount in
            repeat {
                let status = unsafe systemRead(descriptor, UnsafeMutableRawBufferPointer(buffer))
                code = status < 0 ? errno : 0
                readCount = max(0, status)
            } while code == EINTR
        }
        guard code == 0 else { throw Unreadable(code: code) }
        bytes += piece
        return piece.count
    }

    /// All that is left, or as many bytes as are wanted at the most.
    package func rest(upTo limit: Int) throws(Unreadable) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit, try read(upTo: min(limit - bytes.count, 65_536), into: &bytes) > 0 {}
        return bytes
    }

    /// A file that cannot be read. Its name is no part of this: a secret may stand in its place.
    package struct Unreadable: Error, Hashable, CustomStringConvertible {
        /// Why, by the system's number.
        let code: CInt

        /// Why, for a system call's last error.
        package init(code: CInt) {
            self.code = code
        }

        /// Whether there is no such file.
        package var isMissing: Bool { code == ENOENT }
        /// Why, in the system's words.
        package var description: String { SystemError.text(code) }
    }
}

private func systemOpen(_ path: UnsafePointer<CChar>) -> CInt {
    unsafe open(path, O_RDONLY | O_CLOEXEC)
}

private func systemRead(_ descriptor: CInt, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    unsafe read(descriptor, bytes.baseAddress, bytes.count)
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is read sequentially, in chunks.
package struct InputFile: ~Copyable {
    /// A function that appends up to a number of bytes, and returns how many; 0 at the end.
    package typealias Reader = (Int, inout [UInt8]) throws(ReadError) -> Int

    private let descriptor: CInt
    private let closesDescriptor: Bool

    /// Standard input. If it is a terminal, standard error says that the tool waits for input.
    package static var standardInput: InputFile {
        let input = InputFile(descriptor: STDIN_FILENO, closesDescriptor: false)
        input.announceTerminal()
        return input
    }

    /// Reads from a descriptor, and closes it at the end.
    init(owning descriptor: CInt) {
        self.init(descriptor: descriptor, closesDescriptor: true)
    }

    private init(descriptor: CInt, closesDescriptor: Bool) {
        self.descriptor = descriptor
        self.closesDescriptor = closesDescriptor
    }

    /// Opens a file.
    ///
    /// - Parameter path: The path's bytes, which need not be valid UTF-8.
    /// - Throws: ``ReadError`` if the file cannot be opened.
    package init(path: [UInt8]) throws(ReadError) {
        guard !path.contains(0) else { throw ReadError(code: ENOENT) }
        let path = (path + [0]).map { CChar(bitPattern: $0) }
        let descriptor = unsafe systemOpen(path)
        guard descriptor >= 0 else { throw ReadError(code: errno) }
        self.init(descriptor: descriptor, closesDescriptor: true)
        announceTerminal()
    }

    /// Continues at an offset of a regular file.
    package func seek(to offset: Int) throws(ReadError) {
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else { throw ReadError(code: errno) }
    }

    private func announceTerminal() {
        if isatty(descriptor) == 1 {
            Console.error("reading from the terminal; end the input with Ctrl-D on a new line")
        }
    }

    deinit {
        if closesDescriptor { _ = close(descriptor) }
    }

    /// Whether this is a regular file, which can be read again.
    package var isRegular: Bool { Descriptor.isRegular(descriptor) }

    /// Whether the file belongs to the process's user.
    package var isOwnedByUser: Bool { Descriptor.status(descriptor)?.st_uid == geteuid() }

    /// Whether users other than the owner can read or change the file.
    package var isAccessibleToOthers: Bool { Descriptor.status(descriptor).map { $0.st_mode & 0o077 != 0 } ?? true }

    /// Whether a read returns without waiting.
    package var isReady: Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&polled, 1, 0) > 0
    }

    /// Appends up to `count` bytes as soon as any are available.
    ///
    /// - Returns: The number of bytes appended, which is 0 at the end of the file.
    package func read(upTo count: Int, into bytes: inout [UInt8]) throws(ReadError) -> Int {
        var code: CInt = 0
        let piece = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, readCount in
            repeat {
                let status = unsafe systemRead(descriptor, UnsafeMutableRawBufferPointer(buffer))
                code = status < 0 ? errno : 0
                readCount = max(0, status)
            } while code == EINTR
        }
        guard code == 0 else { throw ReadError(code: code) }
        bytes += piece
        return piece.count
    }

    /// Returns the rest of the file, at most `limit` bytes.
    package func rest(upTo limit: Int) throws(ReadError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit, try read(upTo: min(limit - bytes.count, 65_536), into: &bytes) > 0 {}
        return bytes
    }

    /// An error for a file that cannot be read. It omits the name, which may be a misplaced secret.
    package struct ReadError: Error, Hashable, CustomStringConvertible {
        let code: CInt

        /// Creates an error from an error number.
        package init(code: CInt) {
            self.code = code
        }

        /// Whether the file does not exist.
        package var isMissing: Bool { code == ENOENT }
        package var description: String { SystemError.text(code) }
    }
}

private func systemOpen(_ path: UnsafePointer<CChar>) -> CInt {
    unsafe open(path, O_RDONLY | O_CLOEXEC)
}

private func systemRead(_ descriptor: CInt, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    unsafe read(descriptor, bytes.baseAddress, bytes.count)
}

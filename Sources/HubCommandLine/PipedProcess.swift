import HubLock

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A child process that reads its standard input from, and writes its standard output to, this process.
///
/// The child's errors are discarded, or written to this process's standard error when the child has ended: ``Console`` escapes them.
package struct PipedProcess: ~Copyable {
    private let process: ChildProcess
    private var input: CInt?
    /// The file that contains the child's errors.
    private let errors: CInt?
    /// The child's standard output.
    package let output: InputFile

    /// Starts a program, which is searched in `PATH`.
    ///
    /// - Parameters:
    ///   - environment: The variables to add to, or replace in, the inherited environment.
    ///   - inherited: The names of the variables to inherit from this process, or `nil` for all.
    ///   - showsErrors: Whether the child's errors are written to this process's standard error, at most 64 KiB of them.
    package init(
        _ command: [[UInt8]], environment: [String: String] = [:], inheriting inherited: [String]? = nil,
        showsErrors: Bool
    ) throws(ChildProcess.LaunchError) {
        let input = try Self.pipe()
        let output: SystemPipe
        do {
            output = try Self.pipe()
        } catch {
            input.close()
            throw error
        }
        var changes: [ChildProcess.DescriptorChange] = [
            .duplicate(input.reading, as: STDIN_FILENO), .duplicate(output.writing, as: STDOUT_FILENO),
        ]
        let errors = showsErrors ? systemTemporaryFile() : nil
        changes.append(
            errors.map { .duplicate($0, as: STDERR_FILENO) }
                ?? .open(STDERR_FILENO, path: "/dev/null", flags: O_WRONLY))
        do {
            process = try ChildProcess(
                command, environment: environment, inheriting: inherited, descriptors: changes)
        } catch {
            input.close()
            output.close()
            if let errors { _ = systemClose(errors) }
            throw error
        }
        _ = systemClose(input.reading)
        _ = systemClose(output.writing)
        self.errors = errors
        self.input = input.writing
        self.output = InputFile(owning: output.reading)
    }

    deinit {
        if let input { _ = systemClose(input) }
        process.send(SIGTERM)
        _ = process.wait()
        if let errors { Self.report(errors) }
    }

    /// Writes the lines of a file to standard error, and closes it.
    private static func report(_ errors: CInt) {
        _ = lseek(errors, 0, SEEK_SET)
        var bytes: [UInt8] = []
        _ = try? InputFile(owning: errors).read(upTo: 65_536, into: &bytes)
        for line in bytes.split(separator: UInt8(ascii: "\n")) { Console.error(String(decoding: line, as: UTF8.self)) }
    }

    /// Writes bytes to the child's standard input.
    ///
    /// - Returns: Whether the child can read them.
    package func write(_ bytes: [UInt8]) -> Bool {
        input.map { Descriptor.write(bytes, to: $0) == nil } ?? false
    }

    /// Closes the child's standard input.
    package mutating func closeInput() {
        if let input { _ = systemClose(input) }
        input = nil
    }

    /// Waits for the child's end after its output was read, and returns whether it succeeded.
    package func hasSucceeded() -> Bool { process.wait() == .exited(status: 0) }

    private static func pipe() throws(ChildProcess.LaunchError) -> SystemPipe {
        do {
            return try SystemPipe()
        } catch {
            throw ChildProcess.LaunchError(code: error.code)
        }
    }
}

private func systemClose(_ descriptor: CInt) -> CInt {
    close(descriptor)
}

/// Returns an empty file without a name, or `nil` if there is no space for it.
private func systemTemporaryFile() -> CInt? {
    guard let file = unsafe tmpfile() else { return nil }
    defer { _ = unsafe fclose(file) }
    let descriptor = unsafe fcntl(fileno(file), F_DUPFD_CLOEXEC, 0)
    return descriptor < 0 ? nil : descriptor
}

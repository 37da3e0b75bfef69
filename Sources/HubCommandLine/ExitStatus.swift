/// A tool's exit status. The numbers are part of the tool's interface.
package struct ExitStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    /// Creates a status from its number.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Creates the status of a tool ended by a signal, as shells report it.
    package init(signal: Int32) {
        self.init(rawValue: 128 + signal)
    }

    /// Creates the status that reports how a child process ended.
    package init(_ end: ChildProcess.End) {
        switch end {
        case .exited(let status): self.init(rawValue: status)
        case .killed(let signal): self.init(signal: signal)
        }
    }

    /// The command succeeded.
    package static let success = ExitStatus(rawValue: 0)
    /// The command failed.
    package static let failure = ExitStatus(rawValue: 1)
    /// The command line or a setting is invalid, and nothing was done.
    package static let usage = ExitStatus(rawValue: 2)
    /// The input cannot be read, or the result cannot be written.
    package static let unreadable = ExitStatus(rawValue: 3)
}

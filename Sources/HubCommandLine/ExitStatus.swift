/// The exit status of a tool. The numbers are part of its interface.
package struct ExitStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    /// Creates a status from its number.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The status of a tool that a signal ended, as in shells.
    package init(signal: Int32) {
        self.init(rawValue: 128 + signal)
    }

    /// The status of a tool that ends like a child process.
    package init(_ end: ChildProcess.End) {
        switch end {
        case .exited(let status): self.init(rawValue: status)
        case .killed(let signal): self.init(signal: signal)
        }
    }

    /// Success.
    package static let success = ExitStatus(rawValue: 0)
    /// The work failed.
    package static let failure = ExitStatus(rawValue: 1)
    /// The command line or a setting is invalid; nothing was done.
    package static let usage = ExitStatus(rawValue: 2)
    /// The input cannot be read, or the result cannot be written.
    package static let unreadable = ExitStatus(rawValue: 3)
}

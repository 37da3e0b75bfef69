/// What a tool ends with. The numbers are part of its interface.
package struct ExitStatus: RawRepresentable, Hashable, Sendable {
    /// The number.
    package let rawValue: Int32

    /// A status by its number.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The status of a program that a signal ended, as shells give it.
    package init(signal: Int32) {
        self.init(rawValue: 128 + signal)
    }

    /// All went well.
    package static let success = ExitStatus(rawValue: 0)
    /// What was to be done failed.
    package static let failure = ExitStatus(rawValue: 1)
    /// The command line or a setting is wrong; nothing was done.
    package static let usage = ExitStatus(rawValue: 2)
    /// What was to be worked on cannot be read, or nobody takes the result.
    package static let unreadable = ExitStatus(rawValue: 3)
}

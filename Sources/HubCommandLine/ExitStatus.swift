/// What a tool ends with. The numbers are part of its interface.
package enum ExitStatus: Int32, Sendable {
    /// All went well.
    case success = 0
    /// What was to be done failed.
    case failure = 1
    /// The command line or a setting is wrong; nothing was done.
    case usage = 2
    /// The user broke it off (128 + SIGINT).
    case interrupted = 130
}

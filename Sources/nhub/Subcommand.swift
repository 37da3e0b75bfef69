import HubCommandLine

/// A word behind `nhub`, and what it does.
protocol Subcommand: SendableMetatype {
    /// The word.
    static var name: String { get }
    /// What it does, in a line of the overview.
    static var summary: String { get }
    /// The text of its `--help`.
    static var help: String { get }
    /// Does it. `--help` has been taken care of.
    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus
}

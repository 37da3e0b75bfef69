/// The name of an option, such as `--json`. A tool declares its names once, so that a misspelt name does not compile.
package struct OptionName: Hashable, Sendable, CustomStringConvertible {
    /// The name with its dashes.
    package let description: String

    /// Creates a name.
    package init(_ name: String) {
        description = name
    }
}

extension OptionName {
    package static let help = OptionName("--help")
    package static let json = OptionName("--json")
    package static let version = OptionName("--version")

    package static let briefHelp = OptionName("-h")
    static let briefVersion = OptionName("-V")
    static let man = OptionName("--man")
}

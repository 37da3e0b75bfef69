/// The texts of the help on a tool or a subcommand.
struct HelpTopic {
    /// The words that precede each form of the usage.
    let name: String
    /// The purpose in one sentence.
    let summary: String
    let overview: String
    /// The forms of the command line after the name.
    let usage: [String]
    /// The paragraphs after the usage.
    let discussion: [String]
    let sections: [Command.Section]
}

extension Command {
    /// Returns the texts of the help.
    ///
    /// - Parameter tool: The name of the tool.
    func topic(of tool: String) -> HelpTopic {
        HelpTopic(
            name: "\(tool) \(name)", summary: summary, overview: overview, usage: usage, discussion: discussion,
            sections: sections)
    }
}

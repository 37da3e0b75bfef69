import HubCommandLine

/// A command's result, written as lines of names and values or as a JSON object.
struct Fields {
    private var lines: [(name: String, value: String)] = []
    private(set) var object = JSONOutput()

    /// Adds a line and a member, unless the value is `nil`.
    mutating func add(_ name: String, _ member: String, _ value: String?) {
        guard let value else { return }
        addLine(name, value)
        object.add(member, value)
    }

    /// Adds a line that the JSON object omits.
    mutating func addLine(_ name: String, _ value: String) {
        lines.append((name, value))
    }

    /// Adds members that the lines omit.
    mutating func addMember(_ add: (inout JSONOutput) -> Void) {
        add(&object)
    }

    /// Writes the result to standard output.
    func write(asJSON: Bool) throws(Console.WriteError) {
        if asJSON { return try Console.result(object) }
        let width = lines.map(\.name.count).max() ?? 0
        try Console.result(
            lines.map { $0.name.padded(right: width + 2) + $0.value })
    }
}

import HubCommandLine

/// A result: lines of names and values for people, an object for programs.
struct Fields {
    private var lines: [(name: String, value: String)] = []
    private(set) var object = JSONOutput()

    /// Adds a text; not, if there is none.
    mutating func add(_ name: String, _ member: String, _ value: String?) {
        guard let value else { return }
        addLine(name, value)
        object.add(member, value)
    }

    /// Adds what people alone read.
    mutating func addLine(_ name: String, _ value: String) {
        lines.append((name, value))
    }

    /// Adds what programs alone read.
    mutating func addMember(_ add: (inout JSONOutput) -> Void) {
        add(&object)
    }

    /// Writes the result.
    func write(asJSON: Bool) throws(Console.Unwritable) {
        if asJSON { return try Console.result(object) }
        let width = lines.map(\.name.count).max() ?? 0
        try Console.result(
            lines.map { $0.name + String(repeating: " ", count: width - $0.name.count + 2) + $0.value })
    }
}

import HubCommandLine

/// The values of a template message, as a command line has them: `name=value`.
enum TemplateValues {
    /// Takes the operands. What no template could name is an error, which would leave a gap in the notification.
    static func take(from arguments: inout Arguments) throws(UsageError) -> [String: String] {
        let operands = try arguments.operands()
        guard !operands.isEmpty else {
            throw UsageError("the values are missing: name=value, for each name that the templates have")
        }
        var values: [String: String] = [:]
        var names: Set<String> = []
        for operand in operands {
            guard let equals = operand.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                throw UsageError("the argument \(Arguments.quoted(operand)) is no name=value")
            }
            let name = operand.utf8[..<equals]
            guard isName(name) else {
                throw UsageError("a value's name has letters, digits and _ only, 1 to \(longestName) of them")
            }
            let text = String(Substring(name))
            guard names.insert(text.lowercased()).inserted else {
                throw UsageError("a value's name is there twice; templates do not tell upper case from lower case")
            }
            values[text] = String(Substring(operand.utf8[operand.utf8.index(after: equals)...]))
        }
        return values
    }

    private static let longestName = 120

    private static func isName(_ name: Substring.UTF8View) -> Bool {
        (1...longestName).contains(name.count)
            && name.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }
}

/// The escapes of text in the log of a CI job, whose runner executes commands in the output of its steps.
///
/// GitHub's runner takes a line that starts with `::` after white space for a command, and `##[` anywhere in a line for one in
/// the older form. Azure Pipelines does the same with `##[` and `##vso[`. A line ends at a line feed or a carriage return. The
/// runners compare text by the rules of .NET, which can ignore characters outside ASCII.
///
/// A hash sign that follows another one becomes `\u0023`, and the second colon at the start of a line becomes `\u003a`. JSON keeps its
/// meaning, because a hash sign occurs only in its strings, and none of its lines starts with a colon.
struct RunnerText {
    let isEnabled: Bool
    private let isGitHub: Bool

    /// Text in the log of this process's job.
    static let current = RunnerText()

    /// - Parameter environment: Returns the value of an environment variable.
    init(environment: (String) -> [UInt8]? = Environment.bytes) {
        isGitHub = environment("GITHUB_ACTIONS")?.isEmpty == false
        isEnabled = isGitHub || environment("TF_BUILD")?.isEmpty == false
    }

    /// Returns complete lines, in which a runner finds no command.
    ///
    /// - Parameter allowsCommand: Whether the text is the tool's own command for GitHub's runner, which finds no other one in it.
    func escaped(_ bytes: [UInt8], allowsCommand: Bool = false) -> [UInt8] {
        guard isEnabled, !(allowsCommand && isGitHub),
            bytes.contains(where: { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: ":") })
        else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var previous: UInt8 = 0
        // The number of colons at the start of the line; nil after other characters.
        var colonCount: Int? = 0
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "#") where previous == byte: result += "\\u0023".utf8
            case UInt8(ascii: ":") where colonCount == 1: result += "\\u003a".utf8
            default: result.append(byte)
            }
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): (previous, colonCount) = (byte, 0)
            case 0x20: previous = byte
            // A comparison can ignore these.
            case 0..<0x20, 0x7f...: break
            default:
                previous = byte
                colonCount = byte == UInt8(ascii: ":") ? colonCount.map { $0 + 1 } : nil
            }
        }
        return result
    }
}

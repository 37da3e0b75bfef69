import HubText

/// The parts of a response that vary between two equal calls: the service's IDs, times and tokens.
package enum VariableText {
    /// A kind of variable text: the name of its placeholder, and the pattern that finds it.
    private typealias Rule = (name: String, pattern: Regex<Substring>)

    /// The rules in the order of their application. An earlier rule replaces longer text.
    private static var rules: [Rule] {
        [
            ("notification", /NH-[0-9]{17}-[0-9a-f]{32}-[0-9]{2}/),
            ("notification", /[0-9a-f]{32}-[0-9]{14}-[0-9]+-[0-9]+/),
            ("notification", /[0-9a-f]{32}_[0-9]{14}_[0-9]+_[0-9]+_QNHQueue-[A-Z0-9]+/),
            ("registration", /[0-9]{15,20}-[0-9]{15,20}-[0-9]+/),
            ("tracking", /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}_[A-Z0-9_]*[A-Z][0-9]+/),
            ("guid", /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}/),
            // The service's last time, 9999-12-31, is a constant.
            ("time", /20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(?:\.[0-9]+)?Z?/),
            ("token", /continuationtoken=[^&"<{]+/.ignoresCase()),
            ("signature", /sig=[^&"<{]+/.ignoresCase()),
            ("opaque", /[0-9a-fA-F]{24,}/),
        ]
    }

    /// The rules for text that contains spaces, or no digits.
    private static var sentenceRules: [Rule] {
        [
            ("group", /(?:subscriptions|resourceGroups)\/[^\/"<&? ]+/.ignoresCase()),
            ("time", /[0-9]{1,2}\/[0-9]{1,2}\/20[0-9]{2} [0-9]{1,2}:[0-9]{2}:[0-9]{2} [AP]M/),
            ("time", /[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} 20[0-9]{2} [0-9:]{8} GMT/),
        ]
    }

    /// Returns a function that replaces variable text with numbered placeholders, such as `{guid-1}`. Equal texts get equal
    /// placeholders.
    package static func numbering() -> (String) -> String {
        var numbers: [String: [String: Int]] = [:]
        return replacement { name, match in
            let number = numbers[name, default: [:]][match] ?? numbers[name, default: [:]].count + 1
            numbers[name, default: [:]][match] = number
            return "{\(name)-\(number)}"
        }
    }

    /// Returns a function that replaces variable text with placeholders, such as `{guid}`, which also replace numbered ones.
    package static func unnumbered() -> (String) -> String {
        let replace = replacement { name, _ in "{\(name)}" }
        return { text in
            let text = replace(text)
            return text.utf8.contains(UInt8(ascii: "{")) ? text.replacing(/\{([a-z]+)-[0-9]+\}/) { "{\($0.1)}" } : text
        }
    }

    private static func replacement(
        _ placeholder: @escaping (_ name: String, _ match: String) -> String
    ) -> (String) -> String {
        let (rules, sentenceRules) = (rules, sentenceRules)
        return { text in
            var text = text
            if text.contains("M") || text.contains("esourceGroups/") {
                for rule in sentenceRules {
                    text.replace(rule.pattern) { placeholder(rule.name, String($0.output)) }
                }
            }
            var result = ""
            var rest = text.utf8[...]
            // The patterns are slow, so they see only words with a digit.
            while let start = rest.firstIndex(where: isWordByte) {
                let end = rest[start...].firstIndex { !isWordByte($0) } ?? rest.endIndex
                result += String(rest[..<start]) ?? ""
                let isElement = rest[..<start].last == UInt8(ascii: "<")
                result += replaced(String(rest[start..<end]) ?? "", isElement: isElement, rules, placeholder)
                rest = rest[end...]
            }
            return result + (String(rest) ?? "")
        }
    }

    private static func replaced(
        _ word: String, isElement: Bool, _ rules: [Rule], _ placeholder: (_ name: String, _ match: String) -> String
    ) -> String {
        guard !isElement, word.utf8.count >= 5, word.utf8.contains(where: \.isASCIIDigit) else { return word }
        var word = word
        for rule in rules { word.replace(rule.pattern) { placeholder(rule.name, String($0.output)) } }
        return isOpaque(word) || isVariableWhenDecoded(word, rules) ? placeholder("opaque", word) : word
    }

    private static func isVariableWhenDecoded(_ word: String, _ rules: [Rule]) -> Bool {
        guard word.utf8.contains(UInt8(ascii: "%")) else { return false }
        let decoded = String(percentDecoding: word)
        return rules.contains { decoded.firstMatch(of: $0.pattern) != nil }
    }

    /// Whether a word is probably a token: long, in Base64 with letters of both cases and digits, or with many escapes.
    private static func isOpaque(_ word: String) -> Bool {
        word.utf8.count { $0 == UInt8(ascii: "%") } >= 12
            || word.utf8.count >= 24
                && word.utf8.allSatisfy { $0.isASCIILetterOrDigit || "+/_=%-".utf8.contains($0) }
                && word.utf8.contains(where: \.isASCIIDigit)
                && word.utf8.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
                && word.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "+/_=%-.:".utf8.contains(byte)
    }
}

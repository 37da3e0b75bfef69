/// The grouping of a tag expression that mixes `&&` and `||` without parentheses.
///
/// The service evaluates `&&` before `||`. An author who reads the expression from left to right, or as two lists, can mean the other
/// grouping.
struct TagPrecedence: Hashable {
    /// The expression with the parentheses that the service implies, such as `news || (sports && vip)`.
    let actual: String
    /// The expression in which `||` binds tighter, such as `(news || sports) && vip`.
    let alternative: String

    /// Creates the two groupings; `nil` if they are equal.
    ///
    /// - Parameter expression: A valid tag expression.
    init?(_ expression: String) {
        var (tokens, others) = (Self.tokens(expression)[...], Self.tokens(expression)[...])
        actual = Self.group(&tokens, tight: "&&", loose: "||")
        alternative = Self.group(&others, tight: "||", loose: "&&")
        guard actual != alternative else { return nil }
    }

    /// Returns the operators, parentheses and operands.
    private static func tokens(_ text: String) -> [String] {
        var tokens: [String] = []
        var operand = ""
        var isInBraces = false
        for character in text.unicodeScalars where character != " " && character != "\t" {
            if character == "{" { isInBraces = true } else if character == "}" { isInBraces = false }
            guard !isInBraces, "()&|!".unicodeScalars.contains(character) else {
                operand.unicodeScalars.append(character)
                continue
            }
            if !operand.isEmpty { tokens.append(operand) }
            operand = ""
            // The two bytes of an operator become one token.
            if let last = tokens.last, ["&", "|"].contains(last), last == String(character) {
                tokens[tokens.count - 1] += last
            } else {
                tokens.append(String(character))
            }
        }
        return operand.isEmpty ? tokens : tokens + [operand]
    }

    /// Removes the tokens up to a closing parenthesis, and returns them with parentheses around groups of the tight operator.
    private static func group(_ tokens: inout ArraySlice<String>, tight: String, loose: String) -> String {
        var groups: [[String]] = [[""]]
        while let token = tokens.popFirst(), token != ")" {
            var last: String { groups[groups.count - 1].last ?? "" }
            func append(_ text: String) {
                groups[groups.count - 1][groups[groups.count - 1].count - 1] += text
            }
            switch token {
            case loose: groups.append([""])
            case tight: groups[groups.count - 1].append("")
            case "(": append("(" + group(&tokens, tight: tight, loose: loose) + ")")
            default: append(token)
            }
        }
        let texts = groups.map { operands in
            let text = operands.joined(separator: " \(tight) ")
            return operands.count > 1 && groups.count > 1 ? "(\(text))" : text
        }
        return texts.joined(separator: " \(loose) ")
    }
}

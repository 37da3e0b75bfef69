@testable import NotificationHubs

/// A fuzz test that parses the input as a tag expression.
enum ExpressionPart {
    static func check(_ input: [UInt8]) {
        let text = input.text
        do {
            let expression = try TagExpression(validating: text)
            let canonical = Array(expression.description.utf8)
            require(
                !canonical.isEmpty && canonical.allSatisfy { $0 >= 0x20 && $0 < 0x7f },
                "the printed expression is not a valid header value")
            require(
                (try? TagExpression(validating: expression.description)) == expression,
                "parsing the printed expression returns another one")
            require(!(!expression) == expression, "double negation changes the expression")
            let tags = Array(Set(Evaluation(Array(text.utf8)) { _ in true }.names))
            require((1...expression.tagCount).contains(tags.count), "wrong tag count")
            // Some combinations of present and missing tags.
            for pattern in [0, .max, 0x5555, 0x3333, 0x0f0f, 0xa5a5_1234] {
                let held = Set(tags.enumerated().filter { pattern >> $0.offset & 1 == 1 }.map(\.element))
                let expected = Evaluation(Array(text.utf8)) { held.contains($0) }.value
                require(
                    Evaluation(canonical) { held.contains($0) }.value == expected,
                    "the printed expression evaluates differently")
                let opposite = Array((!expression).node.text.utf8)
                require(Evaluation(opposite) { held.contains($0) }.value != expected, "the negation has the same value")
            }
        } catch {
            require(
                (0...text.utf8.count).contains(error.offset ?? -1),
                "error offset \(error.offset ?? -1) is outside the input")
        }
    }
}

/// The value of a valid expression for one device, computed with two stacks (Dijkstra's shunting-yard algorithm).
private struct Evaluation {
    private(set) var names: [[UInt8]] = []
    private var values: [Bool] = []
    private var operators: [UInt8] = []

    var value: Bool { values.last ?? false }

    init(_ text: [UInt8], _ holds: ([UInt8]) -> Bool) {
        let operatorBytes = Set("!&|()".utf8)
        var rest = text[...].filter { $0 != 0x20 && $0 != 0x09 }[...]
        while let byte = rest.first {
            guard operatorBytes.contains(byte) else {
                let name = Array(rest.prefix { !operatorBytes.contains($0) })
                rest = rest.dropFirst(name.count)
                names.append(name)
                values.append(holds(name))
                continue
            }
            rest = rest.dropFirst(byte == UInt8(ascii: "&") || byte == UInt8(ascii: "|") ? 2 : 1)
            switch byte {
            case UInt8(ascii: "!"), UInt8(ascii: "("): operators.append(byte)
            case UInt8(ascii: ")"):
                while let top = operators.popLast(), top != UInt8(ascii: "(") { apply(top) }
            default:
                while let top = operators.last, precedence(top) >= precedence(byte) { apply(operators.removeLast()) }
                operators.append(byte)
            }
        }
        while let top = operators.popLast() { apply(top) }
    }

    private func precedence(_ operatorByte: UInt8) -> Int {
        switch operatorByte {
        case UInt8(ascii: "!"): 3
        case UInt8(ascii: "&"): 2
        case UInt8(ascii: "|"): 1
        default: 0
        }
    }

    private mutating func apply(_ operatorByte: UInt8) {
        let right = values.removeLast()
        switch operatorByte {
        case UInt8(ascii: "!"): values.append(!right)
        case UInt8(ascii: "&"): values.append(values.removeLast() && right)
        default: values.append(values.removeLast() || right)
        }
    }
}

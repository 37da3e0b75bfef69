@testable import NotificationHubs

/// A text, parsed as a tag expression.
enum ExpressionPart {
    static func check(_ input: [UInt8]) {
        let text = input.text
        do {
            let expression = try TagExpression(validating: text)
            let canonical = Array(expression.description.utf8)
            require(!canonical.isEmpty && canonical.allSatisfy { $0 >= 0x20 && $0 < 0x7f }, "no text for a header")
            require(
                (try? TagExpression(validating: expression.description)) == expression, "printed, it parses otherwise")
            require(!(!expression) == expression, "twice negated, it is another")
            let tags = Array(Set(Evaluation(Array(text.utf8)) { _ in true }.names))
            require((1...expression.tagCount).contains(tags.count), "tags are lost or found")
            // Some of the ways in which a device can have these tags or not.
            for pattern in [0, .max, 0x5555, 0x3333, 0x0f0f, 0xa5a5_1234] {
                let held = Set(tags.enumerated().filter { pattern >> $0.offset & 1 == 1 }.map(\.element))
                let meant = Evaluation(Array(text.utf8)) { held.contains($0) }.value
                require(Evaluation(canonical) { held.contains($0) }.value == meant, "printed, it means something else")
                let opposite = Array((!expression).node.text.utf8)
                require(Evaluation(opposite) { held.contains($0) }.value != meant, "the opposite means the same")
            }
        } catch {
            require((0...text.utf8.count).contains(error.offset ?? -1), "an error's offset is \(error.offset ?? -1)")
        }
    }
}

/// What an expression means for one device, by two stacks (Dijkstra's railway yard). The text is one that parses.
private struct Evaluation {
    private(set) var names: [[UInt8]] = []
    private var values: [Bool] = []
    private var operators: [UInt8] = []

    var value: Bool { values.last ?? false }

    init(_ text: [UInt8], _ holds: ([UInt8]) -> Bool) {
        let marks = Set("!&|()".utf8)
        var rest = text[...].filter { $0 != 0x20 && $0 != 0x09 }[...]
        while let byte = rest.first {
            guard marks.contains(byte) else {
                let name = Array(rest.prefix { !marks.contains($0) })
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
                while let top = operators.last, binding(top) >= binding(byte) { apply(operators.removeLast()) }
                operators.append(byte)
            }
        }
        while let top = operators.popLast() { apply(top) }
    }

    private func binding(_ mark: UInt8) -> Int {
        switch mark {
        case UInt8(ascii: "!"): 3
        case UInt8(ascii: "&"): 2
        case UInt8(ascii: "|"): 1
        default: 0
        }
    }

    private mutating func apply(_ mark: UInt8) {
        let right = values.removeLast()
        switch mark {
        case UInt8(ascii: "!"): values.append(!right)
        case UInt8(ascii: "&"): values.append(values.removeLast() && right)
        default: values.append(values.removeLast() || right)
        }
    }
}

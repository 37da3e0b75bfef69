import NotificationHubs

/// What a tag expression says, taken apart.
indirect enum TagCondition: Hashable, Sendable {
    case tag(String)
    case not(TagCondition)
    case all([TagCondition])
    case any([TagCondition])

    /// - Parameter expression: one that can be sent.
    init(_ expression: TagExpression) {
        // Printed in one canonical way, with a space on each side of && and ||, and nowhere else.
        var reader = Reader(rest: Array(expression.description.utf8)[...])
        self = reader.any()
    }

    /// Whether it is true of what has some tags.
    func isTrue(_ has: (String) -> Bool) -> Bool {
        switch self {
        case .tag(let tag): has(tag)
        case .not(let condition): !condition.isTrue(has)
        case .all(let conditions): conditions.allSatisfy { $0.isTrue(has) }
        case .any(let conditions): conditions.contains { $0.isTrue(has) }
        }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func any() -> TagCondition {
            var conditions = [all()]
            while skip(" || ") { conditions.append(all()) }
            return conditions.count == 1 ? conditions[0] : .any(conditions)
        }

        private mutating func all() -> TagCondition {
            var conditions = [operand()]
            while skip(" && ") { conditions.append(operand()) }
            return conditions.count == 1 ? conditions[0] : .all(conditions)
        }

        private mutating func operand() -> TagCondition {
            if skip("!") { return .not(operand()) }
            if skip("(") {
                defer { _ = skip(")") }
                return any()
            }
            let tag = rest.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ")") }
            rest = rest[tag.endIndex...]
            return .tag(String(decoding: tag, as: UTF8.self))
        }

        private mutating func skip(_ text: String) -> Bool {
            guard rest.starts(with: text.utf8) else { return false }
            rest = rest.dropFirst(text.utf8.count)
            return true
        }
    }
}

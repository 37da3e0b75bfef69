import Foundation

@testable import NotificationHubs

/// A fuzz test that parses arbitrary bytes as JSON and as an installation, and compares the result with Foundation.
enum JSONPart {
    static func check(_ input: [UInt8]) {
        do {
            let value = try JSONValue(parsing: input)
            require((try? JSONValue(parsing: value.bytes)) == value, "the serialized value parses differently")
            // Foundation rejects numbers that it cannot represent.
            let hasExponent = input.contains { "eE".utf8.contains($0) }
            if let other = foundationValue(input) {
                require(isSame(value, other), "Foundation returns another value")
            } else {
                require(hasExponent, "Foundation rejects this value")
            }
            checkInstallation(value)
        } catch {
            require((0...input.count).contains(error.offset), "error offset \(error.offset) is outside the input")
            // This parser has additional limits. Foundation also accepts UTF-16 and trailing commas.
            let exceedsLimit = error.reason.hasPrefix("more than") || error.reason.hasPrefix("duplicate name")
            let isTrailingComma = input[error.offset...].prefix(1).contains { "}]".utf8.contains($0) }
            if exceedsLimit || isTrailingComma || input.contains(0) || input.first ?? 0 > 0x7f { return }
            require(foundationValue(input) == nil, "rejected (\(error)), but Foundation accepts it")
        }
    }

    private static func checkInstallation(_ value: JSONValue) {
        guard let installation = try? Installation(json: value.bytes) else { return }
        let reparsed = try? Installation(json: installation.json)
        require(reparsed == installation, "the serialized installation parses differently")
    }

    private static func foundationValue(_ bytes: [UInt8]) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed])
    }

    private static func isSame(_ value: JSONValue, _ other: Any) -> Bool {
        switch (value, other) {
        case (.null, is NSNull): true
        case (.string(let text), let other as String): text.utf8.elementsEqual(other.utf8)
        case (.bool(let flag), let other as NSNumber): flag == other.boolValue
        case (.number(let number), let other as NSNumber):
            Double(number.text) == other.doubleValue || Decimal(string: number.text) == other.decimalValue
        case (.array(let values), let others as [Any]):
            values.count == others.count && zip(values, others).allSatisfy(isSame)
        // Foundation merges canonically equivalent names.
        case (.object(let object), let others as [String: Any]):
            others.count < object.members.count
                || object.members.allSatisfy { member in others[member.name].map { isSame(member.value, $0) } ?? false }
        default: false
        }
    }
}

import Foundation

@testable import NotificationHubs

/// Any bytes, read as JSON and as an installation; Foundation is the other reader.
enum JSONPart {

    static func check(_ input: [UInt8]) {
        do {
            let value = try JSONValue(parsing: input)
            require((try? JSONValue(parsing: value.bytes)) == value, "written anew, it reads otherwise")
            // Foundation has no room for a number of any size.
            let hasExponent = input.contains { "eE".utf8.contains($0) }
            if let other = other(input) {
                require(isSame(value, other), "Foundation reads something else")
            } else {
                require(hasExponent, "Foundation refuses this")
            }
            checkInstallation(value)
        } catch {
            require((0...input.count).contains(error.offset), "an error's offset is \(error.offset)")
            // What is refused here by choice; and Foundation takes UTF-16 too, and a comma behind the last item.
            let isByChoice = error.reason.hasPrefix("more than") || error.reason.hasSuffix("twice in the object")
            let isEnd = input[error.offset...].prefix(1).contains { "}]".utf8.contains($0) }
            if isByChoice || isEnd || input.contains(0) || input.first ?? 0 > 0x7f { return }
            require(other(input) == nil, "refused at \(error), though Foundation reads it")
        }
    }

    private static func checkInstallation(_ value: JSONValue) {
        guard let installation = try? Installation(json: value.bytes) else { return }
        let again = try? Installation(json: installation.json)
        require(again == installation, "an installation written anew reads otherwise")
    }

    private static func other(_ bytes: [UInt8]) -> Any? {
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
        // Foundation takes names for one that look the same.
        case (.object(let object), let others as [String: Any]):
            others.count < object.members.count
                || object.members.allSatisfy { member in others[member.name].map { isSame(member.value, $0) } ?? false }
        default: false
        }
    }
}

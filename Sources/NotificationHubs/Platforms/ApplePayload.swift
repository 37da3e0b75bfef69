/// The members that Apple defines for a payload, with the forms of their values (Apple, "Generating a remote notification").
enum ApplePayload {
    /// The form of a member's value.
    enum Form: CustomStringConvertible {
        case alert, sound, string, strings, object, integer, boolean
        /// The number 1.
        case one
        /// A number from 0 to 1.
        case fraction
        case number
        /// 0 or 1.
        case flag
        case choice([String])
        /// A string, or a localized string of a Live Activity.
        case text

        func accepts(_ value: JSONValue) -> Bool {
            if let text = value.string, text.isTemplateSample {
                switch self {
                case .alert, .sound, .string, .choice, .text: return true
                default: return false
                }
            }
            return switch self {
            case .alert, .sound, .text: value.string != nil || value.object != nil
            case .string: value.string != nil
            case .strings: value.array?.allSatisfy { $0.string != nil } ?? false
            case .object: value.object != nil
            case .integer: value.int.map { $0 >= 0 } ?? false
            case .boolean: value.bool != nil
            case .one: value.double == 1
            case .flag: value.double == 0 || value.double == 1
            case .fraction: value.double.map { (0...1).contains($0) } ?? false
            case .number: value.double != nil
            case .choice(let names): value.string.map { names.contains($0) } ?? false
            }
        }

        var description: String {
            switch self {
            case .alert, .sound, .text: "a string or an object"
            case .string: "a string"
            case .strings: "an array of strings"
            case .object: "an object"
            case .integer: "a number that is not negative"
            case .boolean: "true or false"
            case .one: "the number 1"
            case .flag: "the number 0 or 1"
            case .fraction: "a number from 0 to 1"
            case .number: "a number"
            case .choice(let names): names.formattedList
            }
        }

        func remedy(for value: JSONValue) -> String {
            if let text = value.string, text.isTemplateSample {
                switch self {
                case .integer, .one, .flag, .fraction, .number: return "write #(name), which yields a number"
                default: break
                }
            }
            return switch self {
            case .string: "put it in quotes"
            case .one: "write 1 without quotes"
            case .integer, .flag, .number: "write digits without quotes"
            default: "write \(self)"
            }
        }
    }

    static let members: [String: Form] = [
        "alert": .alert, "badge": .integer, "sound": .sound, "thread-id": .string, "category": .string,
        "content-available": .one, "mutable-content": .one, "target-content-id": .string,
        "interruption-level": .choice(["passive", "active", "time-sensitive", "critical"]),
        // For a Live Activity, any number.
        "relevance-score": .number, "filter-criteria": .string, "stale-date": .integer, "content-state": .object,
        "timestamp": .integer, "event": .choice(["start", "update", "end"]), "dismissal-date": .integer,
        "attributes-type": .string, "attributes": .object, "input-push-token": .one, "input-push-channel": .string,
        "content-changed": .boolean, "url-args": .strings,
    ]

    static let alertMembers: [String: Form] = [
        "title": .text, "subtitle": .string, "body": .text, "launch-image": .string, "title-loc-key": .string,
        "title-loc-args": .strings, "subtitle-loc-key": .string, "subtitle-loc-args": .strings, "loc-key": .string,
        "loc-args": .strings, "action": .string, "action-loc-key": .string, "summary-arg": .string,
        "summary-arg-count": .integer, "sound": .sound,
    ]

    static let soundMembers: [String: Form] = ["critical": .flag, "name": .string, "volume": .fraction]
}

extension [String] {
    /// The texts as a list, such as `a, b or c`.
    var formattedList: String {
        count < 2 ? joined() : dropLast().joined(separator: ", ") + " or " + self[count - 1]
    }
}

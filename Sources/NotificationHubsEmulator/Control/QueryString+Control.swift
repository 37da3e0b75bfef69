import HubText
import NotificationHubs

extension QueryString {
    /// The value of a parameter that must be a whole number, from 0 to 1,000,000,000; `nil` if it is missing.
    func number(_ name: String) throws(ControlError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), (0...1_000_000_000).contains(number) else {
            throw ControlError(400, "\(name) is a whole number")
        }
        return number
    }

    /// The time to wait, at most one minute.
    func wait() throws(ControlError) -> Duration {
        guard let text = self["wait"] else { return .zero }
        guard let duration = Duration(shortText: text) else { throw ControlError(400, "wait is a number of seconds") }
        return min(duration, .seconds(60))
    }
}

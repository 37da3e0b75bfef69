import HubCommandLine
import HubText
import NotificationHubs

/// A request, a delivery or a warning of an emulator, as a line of `nhub emulator --log` and `nhub watch`.
///
/// An event is created from its JSON object in the control API. Lines contain paths without queries, which can contain
/// secrets, and no headers or bodies.
struct EmulatorEvent {
    private let line: String
    private let object: JSONOutput

    /// Creates an event from a request.
    init(request: JSONObject) {
        let milliseconds = request.number("milliseconds") ?? "0"
        let tenths = Int64(exactly: ((Double(milliseconds) ?? 0) * 10).rounded()) ?? 0
        let status = request.integer("status")
        line =
            [
                request.time, request.text("method"), request.text("path"), status.map(String.init) ?? "reset",
                "\(tenths / 10).\(tenths % 10) ms",
            ].joined(separator: " ") + (request["cause"] == nil ? "" : ": \(request.text("cause"))")
        var object = JSONOutput()
        object.add("time", request.time)
        object.add("method", request.text("method"))
        object.add("path", request.text("path"))
        if let status { object.add("status", Int64(status)) }
        object.add("milliseconds", literal: milliseconds)
        if request["cause"] != nil { object.add("cause", request.text("cause")) }
        self.object = object
    }

    /// Creates an event from a delivery of a hub.
    init(delivery: JSONObject, of hub: String) {
        let number = delivery.integer("number") ?? 0
        let byteCount = delivery.integer("byteCount") ?? 0
        let names = ["installationId", "registrationId", "template"].filter { delivery[$0] != nil }
        let texts = names.map { delivery.text($0) }
        let device = delivery["installationId"] ?? delivery["registrationId"] == nil ? ["(handle)"] : []
        line =
            ([delivery.time, "delivery \(number)", hub, delivery.text("platform")] + device + texts
            + ["\(byteCount) bytes"]).joined(separator: " ")
        var object = JSONOutput()
        object.add("time", delivery.time)
        object.add("delivery", Int64(number))
        object.add("hub", hub)
        object.add("platform", delivery.text("platform"))
        for (name, text) in zip(names, texts) { object.add(name, text) }
        object.add("byteCount", Int64(byteCount))
        self.object = object
    }

    /// Creates an event from a warning of a hub.
    init(warning: JSONObject, of hub: String) {
        let number = warning.integer("number") ?? 0
        line = "\(warning.time) warning \(number) \(hub) \(warning.text("text"))"
        var object = JSONOutput()
        object.add("time", warning.time)
        object.add("warning", Int64(number))
        object.add("hub", hub)
        object.add("text", warning.text("text"))
        self.object = object
    }

    /// Creates an event for events that the emulator dropped before they were read.
    ///
    /// - Parameters:
    ///   - kind: The kind of the events, such as `requests`.
    ///   - hub: The hub of the events; `nil` for all hubs.
    init(missing count: Int, _ kind: String, of hub: String?) {
        line = "missing \(count) \(kind)\(hub.map { " of \($0)" } ?? ""): the emulator no longer records them"
        var object = JSONOutput()
        object.add("missing", Int64(count))
        object.add("kind", kind)
        if let hub { object.add("hub", hub) }
        self.object = object
    }

    /// Returns the event as one line.
    func text(asJSON: Bool) -> String {
        asJSON ? String(decoding: object.bytes, as: UTF8.self) : line
    }
}

extension JSONObject {
    /// Returns a string member, or an empty string.
    func text(_ name: String) -> String {
        self[name]?.string ?? ""
    }

    /// Returns an integer member.
    func integer(_ name: String) -> Int? {
        // The greatest number that JSON parsers agree on (RFC 8259 §6).
        number(name).flatMap { Int($0) }.map { min(max($0, 0), 9_007_199_254_740_991) }
    }

    /// Returns the text of a number.
    fileprivate func number(_ name: String) -> String? {
        if case .number(let number)? = self[name] { number.text } else { nil }
    }

    /// Returns the objects of an array member.
    func objects(_ name: String) -> [JSONObject] {
        self[name]?.array?.compactMap(\.object) ?? []
    }

    /// The member `date` in whole seconds.
    fileprivate var time: String { Timestamp(text("date"))?.text ?? "" }
}

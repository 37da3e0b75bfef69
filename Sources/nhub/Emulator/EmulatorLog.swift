import HubCommandLine
import HubText
import NotificationHubs
import NotificationHubsEmulator

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// The output of `nhub emulator --log`: one line for each request to a hub and for each delivery.
///
/// Lines contain paths without queries, which can contain secrets, and no headers or bodies.
struct EmulatorLog: Sendable {
    let asJSON: Bool

    /// Writes a request and the status of its response; `nil` if the connection was reset.
    func write(_ request: HTTPRequest, _ response: HubResponse?, _ duration: Duration) {
        let milliseconds = duration / .milliseconds(1)
        guard asJSON else {
            let tenths = Int64((milliseconds * 10).rounded())
            return Console.output(
                "\(time(Date())) \(request.method) \(request.path) \(response.map { "\($0.status)" } ?? "reset") "
                    + "\(tenths / 10).\(tenths % 10) ms")
        }
        var object = JSONOutput()
        object.add("time", time(Date()))
        object.add("method", request.method)
        object.add("path", request.path)
        if let response { object.add("status", Int64(response.status)) }
        object.add("milliseconds", literal: "\(milliseconds)")
        write(object)
    }

    func write(_ delivery: HubEmulator.Delivery, of hub: NotificationHub.Name) {
        let platform = delivery.pushChannel.platform.rawValue
        let device = delivery.installationID?.rawValue ?? delivery.registrationID?.rawValue
        guard asJSON else {
            let words = [
                time(delivery.date), "delivery \(delivery.number)", hub.rawValue, platform, device ?? "(handle)",
                delivery.templateName, "\(delivery.body.utf8.count) bytes",
            ]
            return Console.output(words.compactMap { $0 }.joined(separator: " "))
        }
        var object = JSONOutput()
        object.add("time", time(delivery.date))
        object.add("delivery", Int64(delivery.number))
        object.add("hub", hub.rawValue)
        object.add("platform", platform)
        if let id = delivery.installationID { object.add("installationId", id.rawValue) }
        if let id = delivery.registrationID { object.add("registrationId", id.rawValue) }
        if let name = delivery.templateName { object.add("template", name) }
        object.add("byteCount", Int64(delivery.body.utf8.count))
        write(object)
    }

    private func write(_ object: JSONOutput) {
        Console.output(String(decoding: object.bytes, as: UTF8.self))
    }

    private func time(_ date: Date) -> String { Timestamp(date)?.text ?? "" }
}

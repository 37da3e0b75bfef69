import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubState {
    mutating func sendMessage(_ request: HubRequest, hubName: NotificationHub.Name, now: Date) -> HubResponse {
        guard request.headers["ServiceBusNotification-Format"]?.lowercased() == "template" else {
            return ServiceResponse.error(status: 400, "the emulator takes messages of the format template only")
        }
        guard let values = try? JSON.decode([String: String].self, from: request.body) else {
            return ServiceResponse.error(status: 400, "a template message is a JSON object whose values are texts")
        }
        // Without this header, or with an empty one, the service sends to everyone; so does the emulator.
        let tagText = request.headers["ServiceBusNotification-Tags"] ?? ""
        let tag = try? NotificationHub.Tag(validating: tagText)
        guard tag != nil || tagText.isEmpty else {
            return ServiceResponse.error(status: 400, "the emulator takes one tag, not an expression")
        }

        let notificationID = Self.newNotificationID()
        do {
            try deliver(values, to: tag, notificationID: notificationID, now: now)
        } catch {
            return ServiceResponse.error(status: 500, "a template could not be filled")
        }
        var response = ServiceResponse.empty(status: 201)
        response.headers["Location"] =
            "\(request.endpoint)/\(hubName)/messages/\(notificationID)?\(request.query)"
        return response
    }

    /// An id of the service's newer form: the time, 32 hexadecimal digits, two more digits.
    private static func newNotificationID() -> String {
        let milliseconds = Int(Date().timeIntervalSince1970 * 1000)
        return "NH-\(milliseconds)-\(UUID().uuidString.filter { $0 != "-" }.lowercased())-01"
    }
}

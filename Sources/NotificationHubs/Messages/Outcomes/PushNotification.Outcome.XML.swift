import HubText

extension PushNotification.Outcome {
    /// Reads the service's answer; `nil` if it is none. What is missing or malformed in it is left out.
    init?(_ bytes: [UInt8]) {
        guard let root = try? XMLReader.read(bytes), root.localName == "NotificationDetails" else { return nil }
        notificationID = (root["NotificationId"]?.content).flatMap { try? PushNotification.ID(validating: $0) }
        location = root["Location"]?.content
        state = root["State"]?.content.map(State.init(rawValue:))
        enqueueTime = root["EnqueueTime"]?.content.flatMap { Timestamp($0)?.date }
        startTime = root["StartTime"]?.content.flatMap { Timestamp($0)?.date }
        endTime = root["EndTime"]?.content.flatMap { Timestamp($0)?.date }
        body = root["NotificationBody"].flatMap { $0.text.isEmpty ? nil : $0.text }
        tags = root["Tags"]?.content
        targetPlatforms = (root["TargetPlatforms"]?.text.utf8 ?? "".utf8)
            .split { [UInt8(ascii: ","), UInt8(ascii: ";"), 0x20, 0x09, 0x0a, 0x0d].contains($0) }
            .map { PushPlatform(serviceName: String(decoding: $0, as: UTF8.self)) }
        errorDetailsURL = root["PnsErrorDetailsUri"]?.content

        var counts: [PushPlatform: [DeliveryResult: Int]] = [:]
        let suffix = "OutcomeCounts".utf8
        for child in root.children {
            let name = Array(child.localName.utf8)
            guard name.count > suffix.count, name.suffix(suffix.count).elementsEqual(suffix) else { continue }
            let platform = PushPlatform(rawValue: String(decoding: name.dropLast(suffix.count), as: UTF8.self))
            for outcome in child.children where outcome.localName == "Outcome" {
                guard let result = outcome["Name"]?.content, let count = outcome["Count"]?.number else { continue }
                counts[platform, default: [:]][DeliveryResult(rawValue: result), default: 0]
                    .addSaturating(count)
            }
        }
        self.counts = counts
    }
}

extension Int {
    /// Adds; a sum that is none is the largest number.
    fileprivate mutating func addSaturating(_ other: Int) {
        let (sum, isOverflow) = addingReportingOverflow(other)
        self = isOverflow ? .max : sum
    }
}

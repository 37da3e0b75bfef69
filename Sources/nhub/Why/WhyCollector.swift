import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A reader of everything that a hub offers about the target of a message.
///
/// The service lists a tag's registrations, but not those of expired channels. For these, the collector reads the platforms'
/// feedback, and the installations that it names.
struct WhyCollector {
    let hub: NotificationHub
    let now = Date()
    private(set) var situation: WhySituation

    /// The maximum number of registrations to read outside of the target, to find similar names.
    private static let maximumOtherCount = 10_000
    private static let maximumFeedbackCount = 1000
    private static let maximumExpiredCount = 50

    init(_ hub: NotificationHub, _ question: WhyQuestion) {
        self.hub = hub
        situation = WhySituation(question: question)
    }

    /// Sends the message as a test to at most ten devices.
    mutating func test(_ notification: PushNotification, to target: PushNotification.Target) async throws {
        do {
            situation.testResults = try await hub.testSend(notification, to: target).results
        } catch let error as HubError {
            guard let status = error.status, (400..<500).contains(status), error.code != .unauthorized else {
                throw error
            }
            situation.rejection = .init(status: status, detail: error.detail, isOwn: true)
        }
    }

    /// Reads all devices of the target. An emulator also returns those that have expired.
    mutating func readDevices(_ emulator: WhyEmulator?) async throws {
        let expression = situation.question.expression
        if case .installation(let id)? = expression?.node {
            try await readInstallation(id)
        } else if let expression, !expression.isTrue({ _ in false }) {
            // Only a device with at least one of the tags can match.
            var entries: [Registration.ID: Registration.Entry] = [:]
            for operand in expression.node.operands {
                for entry in try await registrations(.tag(.init(unchecked: operand.text))) { entries[entry.id] = entry }
            }
            add(WhyDevice.devices(entries.values.sorted { $0.id < $1.id }, now: now))
        } else {
            add(WhyDevice.devices(try await registrations(.all), now: now))
        }
        if let emulator {
            add(try await emulator.expiredDevices(now: now))
            try await emulator.addEvents(to: &situation)
        }
        guard situation.matches.isEmpty, expression != nil else { return }
        // The other devices show which tag or ID was meant.
        try await reading("the other devices") { collector in
            let limit = Self.maximumOtherCount
            let entries = try await collector.registrations(.all, atMost: limit)
            if entries.count == limit { collector.situation.readCount = limit }
            collector.add(WhyDevice.devices(entries, now: collector.now))
        }
    }

    /// Reads an installation, which the hub returns even if it has expired.
    private mutating func readInstallation(_ id: Installation.ID) async throws {
        do {
            add([WhyDevice(try await hub.installation(id), now: now)])
        } catch let error as HubError where error.code == .notFound && !error.isMissingHub {}
    }

    private mutating func registrations(
        _ selection: Registration.Selection, atMost limit: Int = .max
    ) async throws -> [Registration.Entry] {
        var progress = ListingProgress("registrations")
        defer { progress.end() }
        var entries: [Registration.Entry] = []
        for try await entry in hub.registrations(selection) {
            entries.append(entry)
            if entries.count == limit { break }
            progress.add(1)
        }
        situation.hasManageRight = true
        return entries
    }

    private mutating func add(_ devices: [WhyDevice]) {
        let known = Set(situation.devices.map(\.id))
        situation.devices += devices.filter { !known.contains($0.id) }
    }

    /// Reads the outcome of a message.
    mutating func readOutcome(of id: PushNotification.ID) async throws {
        try await reading("the outcome") { $0.situation.outcome = try await $0.hub.outcome(of: id) }
    }

    /// Reads the platforms' feedback if it can explain the situation, and the installations that it names.
    mutating func readFeedback() async throws {
        let hasExpired = situation.matches.contains { $0.expiry != nil }
        guard situation.matches.isEmpty || hasExpired || situation.outcome != nil else { return }
        try await reading("the platforms' feedback") { collector in
            for try await feedback in collector.hub.feedback() {
                guard collector.situation.feedback.count < Self.maximumFeedbackCount else {
                    collector.situation.notes.append(
                        "only the first \(Self.maximumFeedbackCount) entries of feedback were read")
                    break
                }
                collector.situation.feedback.append(feedback)
            }
            // The hub no longer lists expired installations, but returns them by ID.
            let known = Set(collector.situation.devices.map(\.id))
            let ids = Set(collector.situation.feedback.compactMap(\.installationID)).filter {
                !known.contains($0.rawValue)
            }
            for id in ids.sorted(by: { $0.rawValue < $1.rawValue }).prefix(Self.maximumExpiredCount) {
                guard let installation = try await collector.hub.installationIfExists(id) else { continue }
                collector.add([WhyDevice(installation, now: collector.now)])
            }
        }
        let matches = Set(situation.matches.map(\.id))
        for feedback in situation.feedback {
            guard let id = feedback.installationID?.rawValue ?? feedback.registrationID?.rawValue, matches.contains(id)
            else {
                continue
            }
            let time = feedback.time.formatted(.iso8601)
            situation.notes.append("\(feedback.platform.format) reported \(feedback.result) for \(id) at \(time)")
        }
    }

    /// Reads the platforms for which the hub has credentials, and the counts that its quotas limit.
    mutating func readDescription(_ namespace: NotificationHubNamespace) async throws {
        try await reading("the hub's credentials and counts (they require a key of the namespace)") { collector in
            let description = try await namespace.hub(collector.hub.name)
            collector.situation.credentials = Set(description.credentials.keys)
            let counts = [
                ("pushes", description.dailyPushCount), ("active devices", description.dailyActiveDeviceCount),
                ("API calls", description.dailyAPICallCount),
            ]
            let texts = counts.compactMap { name, count in count.map { "\($0) \(name)" } }
            if !texts.isEmpty {
                collector.situation.notes.append("counts of the day: \(texts.joined(separator: ", "))")
            }
        }
    }

    /// Runs a step that not every key and tier allows, and notes a failure.
    private mutating func reading(
        _ subject: String, _ step: (inout WhyCollector) async throws -> Void
    ) async throws {
        do {
            try await step(&self)
        } catch let error as HubError {
            situation.notes.append("cannot read \(subject): \(HubFailure(error))")
        }
    }
}

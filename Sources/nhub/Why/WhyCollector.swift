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

    /// The maximum number of registrations to read for each tag of the expression.
    static let maximumRegistrationCount = 1000
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

    /// Reads the devices of the target, from an emulator if there is one.
    mutating func readDevices(_ emulator: WhyEmulator?) async throws {
        if let emulator {
            situation.devices = try await emulator.devices(now: now)
            try await readAll { !$0.isInstallation }
            try await emulator.addEvents(to: &situation)
        } else if case .installation(let id)? = situation.question.expression?.node {
            do {
                situation.devices = [WhyDevice(try await hub.installation(id), now: now)]
            } catch let error as HubError where error.code == .notFound && !error.isMissingHub {}
        } else if let expression = situation.question.expression, !expression.isTrue({ _ in false }) {
            // Only a device with at least one of the tags can match.
            var entries: [Registration.Entry] = []
            for operand in expression.node.operands {
                let found = try await registrations(.tag(.init(unchecked: operand.text)), operand.text)
                entries += found.filter { entry in !entries.contains { $0.id == entry.id } }
            }
            add(WhyDevice.devices(entries, now: now))
        } else {
            add(WhyDevice.devices(try await registrations(.all, "the hub"), now: now))
        }
        guard emulator == nil, situation.matches.isEmpty, situation.question.expression != nil else { return }
        // The other devices show which tag or ID was meant.
        try await readAll { _ in true }
    }

    /// Reads all registrations, as far as the key allows it.
    private mutating func readAll(_ isIncluded: (WhyDevice) -> Bool) async throws {
        try await reading("the other devices") { collector in
            let entries = try await collector.registrations(.all, "the hub")
            collector.add(WhyDevice.devices(entries, now: collector.now).filter(isIncluded))
        }
    }

    private mutating func registrations(
        _ selection: Registration.Selection, _ name: String
    ) async throws -> [Registration.Entry] {
        var entries: [Registration.Entry] = []
        for try await entry in hub.registrations(selection) {
            guard entries.count < Self.maximumRegistrationCount else {
                situation.notes.append("only the first \(entries.count) registrations of \(name) were read")
                break
            }
            entries.append(entry)
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
                do {
                    collector.add([WhyDevice(try await collector.hub.installation(id), now: collector.now)])
                } catch let error as HubError where error.code == .notFound {}
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

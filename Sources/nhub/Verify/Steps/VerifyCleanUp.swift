import NotificationHubs

/// The removal of everything that a run has written.
struct VerifyCleanUp: Sendable {
    private let run: VerifyRun

    /// Whether the list of the run's tag must be readable, because it alone shows the registrations.
    private let needsList: Bool

    init(_ run: VerifyRun, needsList: Bool = false) { (self.run, self.needsList) = (run, needsList) }

    /// Removes everything, and returns what may be left, with the reasons.
    func removeEverything() async -> [String] {
        var reasons: [String] = []
        for removal in [cancelMessages, removeRegistrations, removeInstallations, checkRegistrations] {
            do {
                try await removal()
            } catch {
                let reason = HubFailure.text(of: error)
                if !reasons.contains(reason) { reasons.append(reason) }
            }
        }
        let left = run.scope.left
        let names =
            left.installations.sorted().map { "installation \($0)" }
            + left.registrations.sorted().map { "registration \($0)" }
            + left.scheduled.sorted().map { "scheduled message \($0)" }
        // Without the list, it is unknown which registrations are left.
        let unknown =
            needsList && names.isEmpty && !reasons.isEmpty ? ["perhaps registrations of \(run.names.run)"] : []
        return names + unknown + reasons.map { "because \($0)" }
    }

    /// Deletes the installations that the run may have written.
    func removeInstallations() async throws {
        let ids = try run.scope.left.installations.sorted().map { try Installation.ID(validating: $0) }
        try await forEach(ids) { try await run.hub.deleteInstallation($0) }
        try await forEach(ids) { id in
            try await run.eventually("the deletion of the installation \(id)") {
                try await run.hub.installationExists(id) ? nil : ()
            }
            run.scope.removed(installation: id.rawValue)
        }
    }

    /// Deletes the registrations of the run; with the right Manage, also those whose creation was interrupted.
    func removeRegistrations() async throws {
        run.scope.add(registrations: try await listedRegistrations() ?? [])
        try await forEach(run.scope.left.registrations.sorted()) { text in
            let id = try Registration.ID(validating: text)
            // The read shows to the scope whose registration it is.
            guard try await run.hub.registrationExists(id) else { return run.scope.removed(registration: text) }
            try await run.hub.deleteRegistration(id)
        }
    }

    /// Waits until the list of the run's tag is empty.
    func checkRegistrations() async throws {
        var listed: [String] = []
        do {
            try await run.eventually("the deletion of all registrations with the tag") {
                listed = try await listedRegistrations() ?? []
                return listed.isEmpty ? () : nil
            }
        } catch {
            run.scope.add(registrations: listed)
            throw error
        }
    }

    /// The reason not to delete what a list contains.
    static let foreign = "the hub lists registrations without the tag that was asked for"

    /// Returns the registrations with the run's tag that do not represent installations; `nil` without the right Manage.
    private func listedRegistrations() async throws -> [String]? {
        var ids: [String] = []
        do {
            for try await entry in run.hub.registrations(.tag(run.names.tag)) {
                guard entry.registration.tags.contains(run.names.tag) else { throw StepFailure(Self.foreign) }
                if entry.installationID == nil { ids.append(entry.id.rawValue) }
            }
        } catch let error as HubError where !needsList && [.forbidden, .unauthorized].contains(error.code) {
            return nil
        }
        return ids
    }

    /// Cancels the scheduled messages.
    func cancelMessages() async throws {
        try await forEach(run.scope.left.scheduled.sorted()) { id in
            _ = try await run.hub.cancelScheduledNotification(PushNotification.ID(validating: id))
        }
    }

    /// Performs an action for each item, in order, and then throws the first error.
    private func forEach<Item>(_ items: [Item], _ action: (Item) async throws -> Void) async throws {
        var first: (any Error)?
        for item in items {
            do {
                try await action(item)
            } catch {
                first = first ?? error
            }
        }
        if let first { throw first }
    }
}

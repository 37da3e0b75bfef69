import NotificationHubs

extension VerifyStep {
    /// Feedback and jobs, whose responses name what is not the run's.
    static let others = [
        VerifyStep("feedback/container", [.manage], writes: false, keepsBodies: false) { run in
            _ = try await run.hub.feedbackContainer()
        },
        VerifyStep("jobs/list", [.manage], writes: false, keepsBodies: false) { run in _ = try await run.hub.jobs() },
        VerifyStep("jobs/export", [.manage], requests: 3, keepsBodies: false) { run in
            guard let container = run.container else {
                throw StepSkipped("no container: pass --container-url-env or --container-url-file")
            }
            let job = try await run.hub.submitJob(.export(to: container))
            let ended = try await run.eventually("the end of the job") {
                let state = try await run.hub.job(job.id)
                return state.status.isTerminal ? state : nil
            }
            guard ended.status == .completed else {
                throw StepFailure("the job failed: \(ended.failure ?? "no reason")")
            }
        },
    ]

    /// The deletion of everything that the run has written.
    static let removal = [
        VerifyStep("removal/installations", requests: 2 * installationNames.count) { run in
            try await VerifyCleanUp(run).removeInstallations()
        },
        // In the order of their IDs, which is random.
        VerifyStep("removal/registrations", requests: 4 * PushPlatform.all.count, keepsBodies: false) { run in
            try await VerifyCleanUp(run).removeRegistrations()
        },
        VerifyStep("removal/nothing-left", [.listen, .manage]) { run in
            try await VerifyCleanUp(run).checkRegistrations()
        },
    ]
}

import DeviceRegistration
import NotificationHubs
import NotificationHubsEmulator

extension BackendDemo {
    /// Each user's message reaches that user's devices, and no other; and a device that the hub has forgotten comes back.
    func notifyUsers() async throws {
        let toAnna = DemoDevice.randomMessage()
        let toBert = DemoDevice.randomMessage()
        try await steps.step("try a wrong password") {
            let guess = stranger { try .basic(name: "anna", password: "guess") }
            try await expect(.needsAuthentication) { try await guess.notifyOwnDevices("hello") }
            return "refused"
        }
        try await steps.step("Anna sends to her devices") {
            try await devices[0].registrar.notifyOwnDevices(toAnna)
            return ""
        }
        try await steps.step("Bert sends to his") {
            try await bert.registrar.notifyOwnDevices(toBert)
            return ""
        }
        try await steps.step("look at all devices") {
            for device in devices {
                let text = try shownText(on: device)
                guard text == (device.user.name == "anna" ? toAnna : toBert) else {
                    throw DemoFailure("\(device.name) shows what is another user's")
                }
            }
            guard emulator.deliveries.count == devices.count else { throw DemoFailure("somebody got more") }
            return "each has its user's message, and nothing else"
        }
        try await steps.step("the hub forgets it") {
            guard let id = bert.storage.registrationID() else { throw DemoFailure("it has no id") }
            try await hub.deleteRegistration(id)
            return "what Bert's phone puts under its id is answered with 410"
        }
        try await steps.step("register it again") {
            let old = bert.storage.registrationID()
            try await bert.registrar.register(bert.channel)
            guard let id = bert.storage.registrationID(), id != old else { throw DemoFailure("it has no new id") }
            return "under a new id"
        }
        for device in devices { steps.report.shows(device.name, try shownText(on: device)) }
    }

    /// The text of the one notification that a device was shown: Apple's alert, or Firebase's body.
    private func shownText(on device: BackendDevice) throws -> String {
        let name = device.channel.platform == .apple ? "alert" : "body"
        let texts = try device.pushed(name, by: emulator)
        guard texts.count == 1 else {
            throw DemoFailure("\(device.name) got \(texts.count) notifications instead of one")
        }
        return texts[0]
    }
}

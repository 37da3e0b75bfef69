import NotificationHubsEmulator

let emulator = HubEmulator(hubName: "push")
precondition(emulator.connectionString.hasPrefix("Endpoint="))
print("emulated")

import NotificationHubsEmulator
import NotificationHubsEmulatorServer

let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
precondition(server.connectionString.hasPrefix("Endpoint="))
server.stop()
print("served")

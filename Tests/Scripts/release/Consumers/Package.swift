// swift-tools-version: 6.2
import PackageDescription

// A package that depends on a version of this one. Tests/Scripts/release/consumption fills in the tools version and the dependency.
let libraries = [
    "HubCrypto", "SharedAccessSignature", "NotificationHubs", "NotificationHubsHTTP", "NotificationHubsEmulator",
    "NotificationHubsEmulatorServer",
    "NotificationHubsTesting", "PushBackend", "DeviceRegistration",
]

func program(_ name: String, _ libraries: [String]) -> Target {
    .executableTarget(
        name: name, dependencies: libraries.map { .product(name: $0, package: "swift-notification-hubs") })
}

let package = Package(
    name: "Consumers",
    platforms: [.macOS(.v13)],
    dependencies: [ /* dependency */],
    targets: libraries.map { program("\($0)Consumer", [$0]) } + [program("AllConsumer", libraries)])

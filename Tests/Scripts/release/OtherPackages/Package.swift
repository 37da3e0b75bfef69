// swift-tools-version: 6.2
import PackageDescription

// Checks with packages that the project does not depend on. Built only by scripts in Tests/Scripts.
let package = Package(
    name: "OtherPackages",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "swift-notification-hubs", path: "../../../.."),
        .package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0"),
        .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1"),
        .package(url: "https://github.com/apple/swift-metrics.git", exact: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", exact: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "AsyncHTTPClientCheck",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "NotificationHubs", package: "swift-notification-hubs"),
                .product(name: "NotificationHubsEmulator", package: "swift-notification-hubs"),
                .product(name: "NotificationHubsEmulatorServer", package: "swift-notification-hubs"),
                .product(name: "NotificationHubsTesting", package: "swift-notification-hubs"),
            ]),
        .executableTarget(
            name: "HummingbirdCheck",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "NotificationHubs", package: "swift-notification-hubs"),
                .product(name: "NotificationHubsEmulator", package: "swift-notification-hubs"),
                .product(name: "NotificationHubsHTTP", package: "swift-notification-hubs"),
                .product(name: "PushBackend", package: "swift-notification-hubs"),
                .product(name: "SharedAccessSignature", package: "swift-notification-hubs"),
            ]),
        .executableTarget(
            name: "ObserverCheck",
            dependencies: [
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "NotificationHubs", package: "swift-notification-hubs"),
                .product(name: "NotificationHubsEmulator", package: "swift-notification-hubs"),
                .product(name: "NotificationHubsEmulatorServer", package: "swift-notification-hubs"),
                .product(name: "NotificationHubsHTTP", package: "swift-notification-hubs"),
            ]),
        .executableTarget(
            name: "SeveralMachines",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "NotificationHubs", package: "swift-notification-hubs"),
                .product(name: "NotificationHubsHTTP", package: "swift-notification-hubs"),
                .product(name: "PushBackend", package: "swift-notification-hubs"),
                .product(name: "SharedAccessSignature", package: "swift-notification-hubs"),
            ]),
        .executableTarget(
            name: "TransportComparison",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NotificationHubs", package: "swift-notification-hubs"),
                .product(name: "NotificationHubsHTTP", package: "swift-notification-hubs"),
            ]),
    ],
    swiftLanguageModes: [.v6])

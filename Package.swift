// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "swift-notification-hubs",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "HubCrypto", targets: ["HubCrypto"]),
        .library(name: "SharedAccessSignature", targets: ["SharedAccessSignature"]),
        .library(name: "NotificationHubs", targets: ["NotificationHubs"]),
        .library(name: "NotificationHubsHTTP", targets: ["NotificationHubsHTTP"]),
        .library(name: "NotificationHubsEmulator", targets: ["NotificationHubsEmulator"]),
        .library(name: "NotificationHubsEmulatorServer", targets: ["NotificationHubsEmulatorServer"]),
        .library(name: "NotificationHubsTesting", targets: ["NotificationHubsTesting"]),
        .library(name: "PushBackend", targets: ["PushBackend"]),
        .library(name: "DeviceRegistration", targets: ["DeviceRegistration"]),
        .executable(name: "sas", targets: ["sas"]),
        .executable(name: "nhub", targets: ["nhub"]),
        .executable(name: "hub-demo", targets: ["hub-demo"]),
        .executable(name: "hub-benchmark", targets: ["hub-benchmark"]),
        .executable(name: "signing-benchmark", targets: ["signing-benchmark"]),
    ],
    traits: [
        .trait(
            name: "HardwareKernels",
            description:
                "Hash with hardware instructions, compiled with unsafe flags. "
                + "Without this trait, only the portable kernel is used, with one unsafe flag: -O in debug builds."),
        .default(enabledTraits: ["HardwareKernels"]),
    ],
    targets: [
        kernel("Portable"),
        kernel("X86SHA", on: "x86_64", features: "ssse3", "sse4.1", "sha"),
        kernel("AVX512", on: "x86_64", features: "avx512f", "avx512bw"),
        kernel("ARMSHA", on: "aarch64", features: "sha2"),
        .target(
            name: "HubCrypto",
            dependencies: [
                "HubCryptoPortable",
                .target(name: "HubCryptoX86SHA", condition: .when(traits: ["HardwareKernels"])),
                .target(name: "HubCryptoAVX512", condition: .when(traits: ["HardwareKernels"])),
                .target(name: "HubCryptoARMSHA", condition: .when(traits: ["HardwareKernels"])),
            ],
            // Only for XGETBV on x86-64, and getauxval on Arm.
            swiftSettings: [.enableExperimentalFeature("BuiltinModule"), .enableExperimentalFeature("Extern")]),
        .target(name: "HubText"),
        .target(name: "HubLock"),
        .target(name: "HubServer", dependencies: ["HubText", "HubLock"]),
        .target(name: "SharedAccessSignature", dependencies: ["HubText", "HubCrypto", "HubLock"]),
        .target(name: "NotificationHubs", dependencies: ["HubText", "SharedAccessSignature", "HubLock"]),
        .target(name: "NotificationHubsHTTP", dependencies: ["HubText", "NotificationHubs", "HubLock"]),
        .target(
            name: "NotificationHubsEmulator",
            dependencies: ["HubText", "NotificationHubs", "SharedAccessSignature", "HubCrypto", "HubLock"]),
        .target(
            name: "HubEmulatorPage",
            resources: ["page.html", "page.css", "cards.js", "page.js", "program.txt"].map {
                .embedInCode("Resources/\($0)")
            }),
        .target(
            name: "NotificationHubsEmulatorServer",
            dependencies: [
                "HubText", "HubServer", "HubEmulatorPage", "NotificationHubs", "NotificationHubsEmulator",
                "SharedAccessSignature", "HubCrypto", "HubLock",
            ]),
        .target(
            name: "NotificationHubsTesting",
            dependencies: ["HubServer", "HubText", "NotificationHubs", "SharedAccessSignature", "HubLock"]),
        .target(
            name: "PushBackend",
            dependencies: ["HubText", "NotificationHubs", "HubCrypto", "SharedAccessSignature", "HubLock"]),
        .target(
            name: "DeviceRegistration",
            dependencies: ["HubText", "NotificationHubs", "SharedAccessSignature", "HubLock"]),
        .target(name: "HubTokenScanner", dependencies: ["HubText", "HubCrypto", "SharedAccessSignature"]),
        .target(name: "HubCommandLine", dependencies: ["HubText", "HubLock"]),
        .executableTarget(
            name: "sas",
            dependencies: ["HubText", "HubCommandLine", "HubCrypto", "HubTokenScanner", "SharedAccessSignature"]),
        .target(
            name: "HubDemo",
            dependencies: [
                "HubCommandLine", "HubLock", "NotificationHubs", "NotificationHubsEmulator", "SharedAccessSignature",
            ]),
        .executableTarget(
            name: "hub-demo",
            dependencies: [
                "HubCommandLine", "HubDemo", "NotificationHubs", "NotificationHubsEmulator",
                "NotificationHubsEmulatorServer", "NotificationHubsHTTP", "SharedAccessSignature",
            ]),
        .executableTarget(
            name: "nhub",
            dependencies: [
                "HubText",
                "DeviceRegistration", "HubCommandLine", "HubCrypto", "HubDemo", "HubLock", "HubServer",
                "NotificationHubs",
                "NotificationHubsEmulator", "NotificationHubsEmulatorServer", "NotificationHubsHTTP", "PushBackend",
                "SharedAccessSignature",
            ]),
        .target(name: "HubBenchmarkSystem", dependencies: ["HubCommandLine", "HubLock"], path: "Benchmarks/System"),
        .executableTarget(
            name: "hub-benchmark",
            dependencies: [
                "HubBenchmarkSystem", "HubCommandLine", "HubLock", "NotificationHubs", "NotificationHubsEmulator",
                "NotificationHubsEmulatorServer",
                "NotificationHubsHTTP",
            ],
            path: "Benchmarks/hub-benchmark"),
        .executableTarget(
            name: "signing-benchmark",
            dependencies: [
                "HubBenchmarkSystem", "HubCommandLine", "HubCrypto", "SharedAccessSignature",
            ],
            path: "Benchmarks/signing-benchmark",
            linkerSettings: [
                countingAllocator("malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign")
            ]),

        .target(
            name: "HubTestSupport",
            dependencies: [
                "HubCommandLine", "HubLock", "HubServer", "NotificationHubs", "NotificationHubsEmulator",
                "NotificationHubsTesting",
            ],
            path: "Tests/TestSupport"),
        // Without package access, so that it compiles only what adopters can write.
        .testTarget(
            name: "AdoptionTests",
            dependencies: [
                "NotificationHubsEmulatorServer",
                "NotificationHubs", "NotificationHubsEmulator", "NotificationHubsHTTP", "SharedAccessSignature",
            ], packageAccess: false),
        .testTarget(name: "HubCryptoTests", dependencies: ["HubCrypto", "HubLock", "HubTestSupport"]),
        .testTarget(name: "HubTextTests", dependencies: ["HubText"]),
        .testTarget(name: "HubLockTests", dependencies: ["HubLock"]),
        .testTarget(
            name: "HubServerTests", dependencies: ["HubServer", "HubText", "HubLock", "HubTestSupport"]),
        .testTarget(
            name: "SharedAccessSignatureTests",
            dependencies: ["HubText", "SharedAccessSignature", "HubCrypto", "HubLock", "HubTestSupport"]),
        .testTarget(
            name: "NotificationHubsTests",
            dependencies: ["HubText", "NotificationHubs", "SharedAccessSignature", "HubLock", "HubTestSupport"]),
        .testTarget(
            name: "NotificationHubsHTTPTests",
            dependencies: [
                "NotificationHubsEmulatorServer",
                "HubServer", "HubText",
                "NotificationHubsHTTP", "NotificationHubs", "NotificationHubsEmulator", "NotificationHubsTesting",
                "SharedAccessSignature", "HubLock", "HubTestSupport",
            ]),
        .testTarget(
            name: "NotificationHubsTestingTests",
            dependencies: [
                "NotificationHubsTesting", "NotificationHubs", "NotificationHubsEmulator", "NotificationHubsHTTP",
                "SharedAccessSignature",
            ]),
        .testTarget(
            name: "NotificationHubsEmulatorTests",
            dependencies: [
                "NotificationHubsEmulatorServer",
                "HubText", "HubCrypto",
                "NotificationHubsEmulator", "NotificationHubs", "NotificationHubsHTTP",
                "SharedAccessSignature", "HubLock", "HubTestSupport",
            ]),
        .testTarget(
            name: "NotificationHubsEmulatorServerTests",
            dependencies: [
                "HubText", "HubServer", "HubEmulatorPage", "NotificationHubsEmulatorServer", "NotificationHubsEmulator",
                "NotificationHubs", "NotificationHubsHTTP", "SharedAccessSignature", "HubLock", "HubTestSupport",
            ]),
        .testTarget(
            name: "PushBackendTests",
            dependencies: [
                "PushBackend", "NotificationHubs", "NotificationHubsEmulator", "SharedAccessSignature", "HubLock",
                "HubTestSupport",
            ]),
        .testTarget(
            name: "DeviceRegistrationTests",
            dependencies: [
                "DeviceRegistration", "NotificationHubs", "NotificationHubsEmulator", "PushBackend", "HubLock",
                "HubTestSupport",
            ]),
        .testTarget(name: "HubCommandLineTests", dependencies: ["HubCommandLine"]),
        .testTarget(name: "HubTokenScannerTests", dependencies: ["HubTokenScanner", "HubTestSupport"]),
        .testTarget(name: "sasTests", dependencies: ["HubCrypto", "HubTokenScanner", "HubTestSupport"]),
        .testTarget(
            name: "nhubTests",
            dependencies: [
                "NotificationHubsEmulatorServer",
                "HubServer", "HubText",
                "nhub", "HubCommandLine", "HubCrypto", "NotificationHubsEmulator", "NotificationHubs",
                "NotificationHubsHTTP", "NotificationHubsTesting", "HubLock", "HubTestSupport", "SharedAccessSignature",
            ]),
        // Values of all public types.
        .testTarget(
            name: "SecrecyTests",
            dependencies: [
                "NotificationHubsEmulatorServer",
                "DeviceRegistration", "HubCrypto", "NotificationHubs", "NotificationHubsEmulator",
                "NotificationHubsHTTP", "PushBackend", "SharedAccessSignature", "HubTestSupport",
            ]),
        // Runs the built program, and does not depend on its modules, so that its allocator is not linked into other tests.
        .testTarget(name: "SigningBenchmarkTests", dependencies: ["HubTestSupport"]),
        .testTarget(name: "HubBenchmarkTests", dependencies: ["HubTestSupport"]),
        .testTarget(
            name: "READMETests",
            dependencies: [
                "DeviceRegistration", "NotificationHubs", "NotificationHubsEmulator", "NotificationHubsHTTP",
                "PushBackend", "SharedAccessSignature", "HubTestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// The test targets to build, separated by spaces, for checks that need only a few.
if let names = Context.environment["HUB_TEST_TARGETS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

// Programs for the scripts in Tests/Scripts, which are not part of a normal build.
if Context.environment["HUB_CHECKS"] != nil {
    package.targets += [
        .executableTarget(name: "HubConstantTime", dependencies: ["HubCrypto"], path: "Tests/ConstantTime"),
        .executableTarget(
            name: "HubTiming",
            dependencies: [
                "HubBenchmarkSystem", "HubCommandLine", "HubCrypto", "HubCryptoPortable", "SharedAccessSignature",
                .target(name: "HubCryptoX86SHA", condition: .when(traits: ["HardwareKernels"])),
                .target(name: "HubCryptoAVX512", condition: .when(traits: ["HardwareKernels"])),
                .target(name: "HubCryptoARMSHA", condition: .when(traits: ["HardwareKernels"])),
            ],
            path: "Tests/Timing",
            // Only for the cycle counter.
            swiftSettings: [.enableExperimentalFeature("BuiltinModule")]),
        .executableTarget(
            name: "HubPayloadStoreCheck",
            dependencies: ["NotificationHubsHTTP", "PushBackend"],
            path: "Tests/PayloadStore"),
        .executableTarget(
            name: "HubWalks", dependencies: ["NotificationHubs", "NotificationHubsHTTP", "SharedAccessSignature"],
            path: "Tests/Walks"),
        .executableTarget(
            name: "HubStorageCheck",
            dependencies: ["NotificationHubs", "NotificationHubsHTTP", "PushBackend", "SharedAccessSignature"],
            path: "Tests/Storage"),
        .executableTarget(
            name: "HubFuzz",
            dependencies: [
                "HubServer",
                "HubText",
                "HubCrypto", "HubTokenScanner", "NotificationHubs", "SharedAccessSignature",
            ],
            path: "Tests/Fuzz", swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
    ]
}

// The URLSession transport on Linux. Tests/Scripts/client/urlsession writes the sources, which use FoundationNetworking.
if Context.environment["HUB_URLSESSION"] != nil {
    let foundationNetworking = SwiftSetting.define("FOUNDATION_NETWORKING")
    package.targets += [
        .target(
            name: "HubURLSession", dependencies: ["HubText", "NotificationHubs", "HubLock"],
            path: ".build/urlsession/Transport", swiftSettings: [foundationNetworking]),
        .testTarget(
            name: "HubURLSessionTests",
            dependencies: [
                "NotificationHubsEmulatorServer",
                "HubURLSession", "NotificationHubs", "NotificationHubsEmulator", "NotificationHubsTesting",
                "SharedAccessSignature", "HubLock", "HubTestSupport",
            ],
            path: ".build/urlsession/Tests", swiftSettings: [foundationNetworking]),
        .executableTarget(
            name: "HubURLSessionLoad",
            dependencies: [
                "NotificationHubsEmulatorServer",
                "HubURLSession", "NotificationHubs", "NotificationHubsEmulator", "SharedAccessSignature", "HubLock",
            ],
            path: "Tests/URLSession"),
    ]
}

for target in package.targets {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .strictMemorySafety(),
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InferIsolatedConformances"),
        ]
}

/// Returns the target of a kernel. Each kernel needs its own target, because its compiler flags apply to whole modules.
///
/// Kernels are also optimized in debug builds, which would otherwise hash very slowly. Clang ignores the features on other architectures.
func kernel(_ name: String, on architecture: String = "", features: String...) -> Target {
    #if compiler(>=6.3)
    let prefix = architecture == "x86_64" ? "-m" : "-march=armv8-a+"
    let options = features.flatMap { ["-Qunused-arguments", "-Xarch_\(architecture)", prefix + $0] }
    #else
    // Before Swift 6.3, Clang knows -Xarch only on Darwin. On other architectures, this form prints messages.
    let options = features.flatMap { ["-Xclang", "-target-feature", "-Xclang", "+\($0)"] }
    #endif
    return .target(
        name: "HubCrypto\(name)",
        path: "Sources/HubCryptoKernels/\(name)",
        swiftSettings: [
            .unsafeFlags(["-O"], .when(configuration: .debug)),
            .unsafeFlags(options.flatMap { ["-Xcc", $0] }),
        ])
}

/// Replaces functions of the C library by the program's `counting_` functions, also for shared libraries.
func countingAllocator(_ names: String...) -> LinkerSetting {
    let options = names.flatMap { ["--defsym=\($0)=counting_\($0)", "--export-dynamic-symbol=\($0)"] }
    return .unsafeFlags(options.flatMap { ["-Xlinker", $0] }, .when(platforms: [.linux]))
}

import Testing

@testable import HubServer

@Suite struct SharedLibraryTests {
    typealias Library = SharedLibrary

    @Test(arguments: [
        (Library.Name.libcrypto, Library.System.linux, ["libcrypto.so.3"]),
        (.libssl, .linux, ["libssl.so.3"]),
        (.libnghttp2, .linux, ["libnghttp2.so.14"]),
        (
            .libcrypto, .macOSArm64,
            [
                "/opt/homebrew/opt/openssl@3/lib/libcrypto.3.dylib", "/usr/local/opt/openssl@3/lib/libcrypto.3.dylib",
            ]
        ),
        (
            .libssl, .macOSX86,
            ["/usr/local/opt/openssl@3/lib/libssl.3.dylib", "/opt/homebrew/opt/openssl@3/lib/libssl.3.dylib"]
        ),
        (
            .libnghttp2, .macOSArm64,
            [
                "/opt/homebrew/opt/libnghttp2/lib/libnghttp2.14.dylib",
                "/usr/local/opt/libnghttp2/lib/libnghttp2.14.dylib",
            ]
        ),
        (.libssl, .other, []),
    ])
    func `tries the libraries of the system's package manager`(
        name: Library.Name, system: Library.System, paths: [String]
    ) {
        #expect(Library.candidates(for: name, on: system) == paths)
    }

    @Test(arguments: Library.Name.allCases, [Library.System.macOSArm64, .macOSX86])
    func `never loads macOS's own libraries`(name: Library.Name, system: Library.System) {
        for path in Library.candidates(for: name, on: system) {
            #expect(path.hasPrefix("/") && !path.hasPrefix("/usr/lib/"), "only absolute paths of other libraries")
            #expect(path.hasSuffix(".3.dylib") || path.hasSuffix(".14.dylib"), "only versioned libraries")
        }
    }

    @Test(arguments: [
        (Library.System.macOSArm64, "cannot load libssl (run brew install openssl@3 libnghttp2): a: b: c: d"),
        (.macOSX86, "cannot load libssl (run brew install openssl@3 libnghttp2): a: b: c: d"),
        (.linux, "cannot load libssl (install OpenSSL 3): a: b: c: d"),
    ])
    func `reports how to install a missing library`(system: Library.System, description: String) {
        let error = Library.LoadError(.libssl, reasons: ["a: b", "c: d"], on: system)
        #expect(error.description == description)
    }
}

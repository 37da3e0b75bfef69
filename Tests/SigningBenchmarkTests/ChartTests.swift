import Foundation
import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30)), .needsAllocator) struct ChartTests {
    let benchmark = BuiltProgram(product: "signing-benchmark")
    let results = [
        SavedResult(name: "sha256/1024", ns: 600), SavedResult(name: "sha256-batch/1024", ns: 300),
        SavedResult(name: "hmac-prepared/71", ns: 110), SavedResult(name: "hmac-one-shot/71", ns: 190),
        SavedResult(name: "sas-token", ns: 310, implementation: "SharedAccessSignature"),
        SavedResult(name: "sas-verify-header", ns: 820, implementation: "SharedAccessSignature"),
    ]
    let peers = #"{"case":"sha256/1024","implementation":"A <B> & \"C\"\u0001","ns":1200}"#

    @Test func `draws each group with its bars and the machine`() async throws {
        let svg = try await chart(results)
        for text in [
            "SHA-256 of 1 KiB", "This package, 16 at once", "HMAC-SHA256 of 71 bytes, prepared key",
            "HMAC-SHA256 of 71 bytes, new key", "Sign a token", "Parse and verify a token", ">600 ns<", ">300 ns<",
            ">110 ns<", ">190 ns<", ">310 ns<", ">820 ns<", ">Test CPU, 4 processors; TestOS 1.0; Swift 6.3<",
            "commit 0123456789abcdef0123456789abcdef01234567",
        ] {
            #expect(svg.contains(text), "\(text)")
        }
    }

    @Test func `draws other libraries to the same scale`() async throws {
        let svg = try await chart(results)
        #expect(svg.contains(">A &lt;B&gt; &amp; &quot;C&quot; </text>"))
        #expect(svg.contains(">1 200 ns<"))
        #expect(svg.contains(#"<rect class="own" x="236" y="98" width="200""#))
        #expect(svg.contains(#"<rect class="batch" x="236" y="122" width="100""#))
        #expect(svg.contains(#"<rect class="peer" x="236" y="146" width="400""#))
    }

    @Test func `omits groups without results`() async throws {
        let svg = try await chart([results[4]])
        #expect(svg.contains("Sign a token"))
        #expect(!svg.contains("HMAC"))
    }

    @Test func `is well-formed XML without external resources`() async throws {
        let svg = try await chart(results)
        var open: [Substring] = []
        for tag in svg.matches(of: /<(\/?)([a-z]+)((?: [a-zA-Z-]+="[^"<&]*")*)(\/?)>/) {
            if !tag.1.isEmpty {
                #expect(open.popLast() == tag.2)
            } else if tag.4.isEmpty {
                open.append(tag.2)
            }
        }
        #expect(open.isEmpty)
        let rest = svg.replacing(/<\/?[a-z]+(?: [a-zA-Z-]+="[^"<&]*")*\/?>/, with: "")
        #expect(!rest.contains("<"), "each angle bracket is part of a tag")
        #expect(!rest.replacing(/&(?:amp|lt|gt|quot);/, with: "").contains("&"))
        #expect(svg.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
        #expect(svg.components(separatedBy: "http").count == 2, "only the namespace")
    }

    @Test func `describes the image in words and supports dark pages`() async throws {
        let svg = try await chart(results)
        #expect(svg.contains(#"role="img" aria-labelledby="title description""#))
        #expect(svg.contains("Sign a token: This package 310 ns. "))
        #expect(svg.contains("@media (prefers-color-scheme: dark)"))
    }

    @Test func `draws a measurement`() async throws {
        let files = try Files()
        let path = files.path("chart.svg")
        let outcome = try await benchmark.run("--rounds=1", "--filter=hmac-prepared", "--chart", path)
        #expect(outcome.status == 0)
        #expect(try BuiltProgram.text(of: URL(filePath: path)).contains("prepared key"))
    }

    @Test func `reports a chart without results`() async throws {
        let files = try Files()
        let outcome = try await benchmark.report(
            [SavedResult(name: "sha256/64", ns: 1)], "--chart", files.path("chart.svg"))
        #expect(outcome.status == 1)
        #expect(outcome.error.hasPrefix("signing-benchmark: --chart: no result to draw"))
    }

    @Test func `rejects a path that cannot be written before it measures`() async throws {
        let outcome = try await benchmark.run("--chart", "/nowhere/chart.svg")
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.contains("--chart: cannot write the file: No such file or directory"))
    }

    private func chart(_ results: [SavedResult]) async throws -> String {
        let files = try Files()
        let path = files.path("chart.svg")
        let outcome = try await benchmark.report(
            results, "--chart", path, "--peers", try files.write(peers, to: "peers.json"))
        #expect(outcome.status == 0)
        #expect(outcome.error.isEmpty)
        return try BuiltProgram.text(of: URL(filePath: path))
    }
}

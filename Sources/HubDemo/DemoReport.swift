import HubCommandLine
import HubLock
package import NotificationHubs

/// A writer of the demo's output: one line per step, as text or JSON.
package struct DemoReport: Sendable {
    let asJSON: Bool

    /// Creates a writer of text, or of one JSON object per line.
    package init(asJSON: Bool) {
        self.asJSON = asJSON
    }

    /// Writes a heading, which JSON output omits.
    package func begin(_ text: String) {
        if !asJSON { Console.output(text) }
    }

    /// Writes the result of a step.
    func step(_ title: String, _ exchange: TracingTransport.Exchange?, note: String, time: Duration) {
        if asJSON {
            let line = Line(
                step: title, method: exchange?.method, path: exchange?.path, status: exchange?.status,
                milliseconds: time.milliseconds, note: note.isEmpty ? nil : note)
            return write(line)
        }
        var columns = [title.padded(right: 27)]
        if let exchange {
            columns.append(
                "\(exchange.method.padded(right: 6)) \(exchange.path) → \(exchange.status.map(String.init) ?? "no response")"
            )
        }
        columns.append("\(time.milliseconds) ms")
        if !note.isEmpty { columns.append(note) }
        Console.output(columns.joined(separator: "  "))
    }

    /// Writes the text that a device shows.
    package func shows(_ device: String, _ text: String) {
        if asJSON {
            write(Line(device: device, notification: text))
        } else {
            Console.output("\(device) shows: \(text)")
        }
    }

    private struct Line: Encodable {
        var step: String?
        var method: String?
        var path: String?
        var status: Int?
        var milliseconds: Double?
        var note: String?
        var device: String?
        var notification: String?
    }

    private func write(_ line: Line) {
        guard let bytes = try? JSON.encode(line) else { return }
        Console.output(String(decoding: bytes, as: UTF8.self))
    }
}

extension Duration {
    /// The duration in milliseconds, truncated to tenths.
    fileprivate var milliseconds: Double {
        let tenths = components.seconds * 10_000 + components.attoseconds / 100_000_000_000_000
        return Double(tenths) / 10
    }
}

/// A runner of a demo's steps, which reports each one.
package struct DemoSteps: Sendable {
    package let transport: TracingTransport
    package let report: DemoReport
    /// Describes the error of a failed step.
    let describe: @Sendable (any Error) -> String

    package init(
        transport: TracingTransport, report: DemoReport,
        describe: @escaping @Sendable (any Error) -> String = { "\($0)" }
    ) {
        (self.transport, self.report, self.describe) = (transport, report, describe)
    }

    /// Runs a step and reports its result.
    ///
    /// - Parameter body: The work of the step. It returns a note for the report.
    /// - Throws: ``DemoError`` if the step fails.
    package func step(_ title: String, _ body: () async throws -> String) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        transport.forgetLastExchange()
        do {
            let note = try await body()
            report.step(title, transport.lastExchange, note: note, time: clock.now - start)
        } catch let error where !(error is CancellationError) {
            report.step(title, transport.lastExchange, note: "failed", time: clock.now - start)
            throw DemoError("\"\(title)\" failed: \(describe(error))")
        }
    }
}

/// An error for a failed step.
package struct DemoError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// A transport that records the last request and its status.
package struct TracingTransport: HubTransport {
    /// The reported parts of a request and its response.
    struct Exchange: Sendable {
        let method: String
        let path: String
        var status: Int?
    }

    private let base: any HubTransport
    private let last = Locked<Exchange?>(nil)

    package init(_ base: any HubTransport) {
        self.base = base
    }

    var lastExchange: Exchange? { last.withLock { $0 } }

    func forgetLastExchange() {
        last.withLock { $0 = nil }
    }

    package func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        last.withLock { $0 = Exchange(method: request.method.rawValue, path: request.path) }
        let response = try await base.send(request, timeout: timeout)
        last.withLock { $0?.status = response.status }
        return response
    }
}

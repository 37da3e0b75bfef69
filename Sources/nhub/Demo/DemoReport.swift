import HubCommandLine
import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes the demo's lines: a step a line, for people or as JSON.
struct DemoReport: Sendable {
    let asJSON: Bool

    /// Says what is about to run; nothing in JSON.
    func begin(_ text: String) {
        if !asJSON { Console.output(text) }
    }

    func step(_ title: String, _ exchange: TracingTransport.Exchange?, note: String, time: Duration) {
        if asJSON {
            let line = Line(
                step: title, method: exchange?.method, path: exchange?.path, status: exchange?.status,
                milliseconds: time.milliseconds, note: note.isEmpty ? nil : note)
            return write(line)
        }
        var columns = [title.padded(to: 27)]
        if let exchange {
            columns.append(
                "\(exchange.method.padded(to: 6)) \(exchange.path) → \(exchange.status.map(String.init) ?? "no response")"
            )
        }
        columns.append("\(time.milliseconds) ms")
        if !note.isEmpty { columns.append(note) }
        Console.output(columns.joined(separator: "  "))
    }

    /// Says what a device shows.
    func shows(_ device: String, _ text: String) {
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
    /// Milliseconds, to a tenth.
    fileprivate var milliseconds: Double {
        let tenths = components.seconds * 10_000 + components.attoseconds / 100_000_000_000_000
        return Double(tenths) / 10
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

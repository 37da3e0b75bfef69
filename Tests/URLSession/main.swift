import HubServer
import Foundation
import HubLock
import HubURLSession
import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature

/// Sends messages through the `URLSession` transport, 64 at a time, and checks that each arrives once and that neither memory nor
/// descriptors leak. Usage: HubURLSessionLoad COUNT
let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1000
/// FoundationNetworking leaks up to 350 bytes a request. The allocator keeps some memory, too.
let permittedGrowth = 600 * count + (8 << 20)

let bodies = Locked<[String: Int]>([:])
let listener = try Listener(on: ListeningPort()) { socket, _ in
    var parser = HTTPRequestParser()
    while let bytes = try? socket.receive(), !bytes.isEmpty {
        parser.append(bytes)
        guard let request = try? parser.next() else { continue }
        bodies.withLock { $0[String(decoding: request.body, as: UTF8.self), default: 0] += 1 }
        let response = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"
        guard (try? socket.send(Array(response.utf8), by: nil)) != nil else { return }
    }
}
let endpoint = try ServiceEndpoint("http://127.0.0.1:\(listener.port)")
let transport = try HubHTTPTransport(maximumConnections: 64)

/// The process's resident memory in bytes.
func residentByteCount() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
}

func descriptorCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}

/// Sends messages with the numbers of a range. Returns the number of responses with each status.
func send(_ range: Range<Int>) async throws -> [Int: Int] {
    try await withThrowingTaskGroup(of: Int.self) { group in
        var statuses: [Int: Int] = [:]
        for number in range {
            if number - range.lowerBound >= 64, let status = try await group.next() {
                statuses[status, default: 0] += 1
            }
            group.addTask {
                let request = HubRequest(.post, endpoint: endpoint, path: "/", body: Array("\(number)".utf8))
                return try await transport.send(request, timeout: .seconds(600)).status
            }
        }
        for try await status in group { statuses[status, default: 0] += 1 }
        return statuses
    }
}

func expect(_ condition: Bool, _ problem: String) {
    if condition { return }
    FileHandle.standardError.write(Data("HubURLSessionLoad: \(problem)\n".utf8))
    exit(1)
}

let start = ContinuousClock.now
// The first calls allocate connections and caches.
let warmUp = min(count, 1000)
var statuses = try await send(0..<warmUp)
let (memory, descriptors) = (try residentByteCount(), try descriptorCount())
statuses.merge(try await send(warmUp..<count)) { $0 + $1 }
let growth = try residentByteCount() - memory
let (seconds, used) = ((ContinuousClock.now - start) / .seconds(1), try descriptorCount())

print(
    "\(count) messages in \(Int(seconds)) s: status \(statuses), \(memory >> 20) MB and \(growth >> 10) kB more, \(used) descriptors"
)
expect(statuses == [201: count], "expected \(count) responses with status 201")
let received = bodies.withLock { $0 }
expect(received.count == count && received.allSatisfy { $0.value == 1 }, "expected each message once")
expect(growth <= permittedGrowth, "memory grew by \(growth) bytes, more than \(permittedGrowth)")
// Two for each of 64 connections, since the server is in this process.
expect(used <= descriptors + 128 && used < 200, "\(used) descriptors are open")

import HubCommandLine
import HubLock

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An nginx process that accepts HTTPS and forwards requests over HTTP to a server on this machine.
///
/// It keeps connections open on both sides and never retries.
final class TLSProxy: Sendable {
    /// The port on 127.0.0.1 that accepts HTTPS.
    let port: UInt16
    /// The path of the self-signed certificate for 127.0.0.1 and localhost.
    let certificateFile: String

    private struct State {
        var nginx: ChildProcess?
        var isStopped = false
    }

    private let upstreamPort: UInt16
    private let nginx: String
    private let openssl: String
    private let listener: ListeningSocket
    private let folder: String
    private let state = Locked(State())

    /// Creates a temporary directory and listens on a port.
    ///
    /// - Throws: ``TLSProxyError`` if nginx or openssl is missing; file system errors.
    init(forwardingTo upstreamPort: UInt16) throws {
        self.upstreamPort = upstreamPort
        nginx = try Self.program("nginx")
        openssl = try Self.program("openssl")
        listener = try ListeningSocket()
        port = listener.port
        folder = FileManager.default.temporaryDirectory.path + "/hub-benchmark-\(UInt64.random(in: 0 ... .max))"
        certificateFile = folder + "/certificate.pem"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        stop()
    }

    /// Stops nginx and removes its files. Later calls do nothing.
    func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            if let nginx = state.nginx { Self.terminate(nginx) }
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    /// Starts nginx and waits until it is ready.
    ///
    /// - Throws: ``TLSProxyError``; file system errors.
    func start() async throws {
        try makeCertificate()
        try configuration.write(toFile: folder + "/nginx.conf", atomically: false, encoding: .utf8)
        try await startNginx()
    }

    private func makeCertificate() throws {
        let arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=hub-benchmark", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-keyout", folder + "/key.pem", "-out", certificateFile,
        ]
        let log = folder + "/openssl.log"
        let process = try Self.process([openssl] + arguments, log: log)
        guard process.wait() == .exited(status: 0) else {
            throw TLSProxyError("openssl req failed: \(Self.lastLine(of: log))")
        }
    }

    private func startNginx() async throws {
        // nginx uses the inherited sockets that the variable names instead of opening its own.
        let log = folder + "/nginx.log"
        let process = try Self.process(
            [nginx, "-e", folder + "/error.log", "-p", folder, "-c", folder + "/nginx.conf"],
            environment: ["NGINX": "3;"], descriptors: [.duplicate(listener.descriptor, as: 3)], log: log)
        let isStopped = state.withLock { state in
            if !state.isStopped { state.nginx = process }
            return state.isStopped
        }
        guard !isStopped else { return Self.terminate(process) }
        for _ in 0..<1000 {
            // nginx writes this file after it has read its configuration.
            if FileManager.default.fileExists(atPath: folder + "/pid") { return }
            guard process.isRunning else { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        let errors = Self.lastLine(of: folder + "/error.log")
        throw TLSProxyError("cannot start nginx: \(errors.isEmpty ? Self.lastLine(of: log) : errors)")
    }

    /// Starts a program whose output goes to a log file.
    private static func process(
        _ command: [String], environment: [String: String] = [:], descriptors: [ChildProcess.DescriptorChange] = [],
        log: String
    ) throws(TLSProxyError) -> ChildProcess {
        let streams: [ChildProcess.DescriptorChange] = [
            .open(STDIN_FILENO, path: "/dev/null", flags: O_RDONLY),
            .open(STDOUT_FILENO, path: log, flags: O_WRONLY | O_CREAT | O_APPEND),
            .duplicate(STDOUT_FILENO, as: STDERR_FILENO),
        ]
        do {
            return try ChildProcess(
                command.map { Array($0.utf8) }, environment: environment, descriptors: streams + descriptors)
        } catch {
            throw TLSProxyError("cannot start \(command[0]): \(error)")
        }
    }

    private static func terminate(_ process: ChildProcess) {
        process.send(SIGTERM)
        _ = process.wait()
    }

    /// Returns the path of a program in `PATH`, `/usr/sbin` or `/usr/local/sbin`.
    private static func program(_ name: String) throws(TLSProxyError) -> String {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        let paths = folders.map { "\($0)/\(name)" }
        guard let found = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw TLSProxyError("--tls: \(name) not found in PATH: install the package \(name)")
        }
        return found
    }

    private static func lastLine(of file: String) -> String {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").last.map(String.init) ?? ""
    }

    private var configuration: String {
        """
        daemon off;
        worker_processes 1;
        pid pid;
        error_log error.log;
        \(geteuid() == 0 ? "user root;" : "")
        events { worker_connections 8192; }
        http {
            access_log off;
            client_max_body_size 0;
            client_body_temp_path client_body;
            proxy_temp_path proxy;
            fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi;
            scgi_temp_path scgi;
            upstream hub {
                server 127.0.0.1:\(upstreamPort);
                keepalive 1024;
                keepalive_requests 1000000000;
                keepalive_timeout 30s;
            }
            server {
                listen 127.0.0.1:\(port) ssl;
                ssl_certificate certificate.pem;
                ssl_certificate_key key.pem;
                keepalive_requests 1000000000;
                keepalive_timeout 1h;
                location / {
                    proxy_pass http://hub;
                    proxy_http_version 1.1;
                    proxy_set_header Host $http_host;
                    proxy_set_header Connection "";
                    proxy_next_upstream off;
                }
            }
        }

        """
    }
}

/// A failure to start the proxy.
struct TLSProxyError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

import Foundation
import NotificationHubs
import Testing

@testable import NotificationHubsEmulator

@Suite struct PageTests {
    @Test func `is a single document with a strict content security policy`() throws {
        let response = try ControlScene().response("GET", "")
        #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(response.headers["X-Content-Type-Options"] == "nosniff")
        let policy = try #require(response.headers["Content-Security-Policy"])
        for part in ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
            #expect(policy.contains(part))
        }
        #expect(!policy.contains("unsafe"))
        #expect(policy.matches(of: #/'sha256-[A-Za-z0-9+\/]{43}='/#).count == 2)
    }

    @Test func `contains no external resource, inline handler or markup injection`() throws {
        let text = try ControlScene().response("GET", "").text
        for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "http://"]
        {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(text.matches(of: #/\son[a-z]+\s*=\s*["']/#).isEmpty)
        #expect(text.matches(of: #/\sstyle\s*=/#).isEmpty)
        #expect(text.matches(of: #/(src|href)="(?!#|data:,)/#).isEmpty)
        #expect(text.components(separatedBy: "<script").count == 2)
    }

    @Test(arguments: MessageFormat.all)
    func `offers a valid sample for every format`(format: MessageFormat) throws {
        let scene = try ControlScene()
        let page = try scene.response("GET", "").text
        let start = try #require(page.firstRange(of: "<option value=\"\(format.name)\" data-sample=\""))
        let sample = String(page[start.upperBound...].prefix { $0 != "\"" })
            .replacing("&quot;", with: "\"").replacing("&lt;", with: "<").replacing("&gt;", with: ">")
        let body: JSONObject = [
            "format": .string(format.name), "body": .string(sample), "everyone": .bool(true),
        ]
        let text = String(decoding: JSONValue.object(body).bytes, as: UTF8.self)
        #expect(try scene.mutate("POST", "send", text).object()["status"] == .number(.init(201)))
    }

    @Test func `fills all placeholders and takes platform names from the platform table`() throws {
        #expect(try !ControlScene().response("GET", "").text.contains("{{"))
        let files = [
            PackageResources.page_html, PackageResources.page_css, PackageResources.cards_js,
            PackageResources.page_js,
        ]
        for bytes in files { #expect(!String(decoding: bytes, as: UTF8.self).lowercased().contains("xiaomi")) }
    }

    @Test(arguments: [
        ("/", "text/html,*/*", true), ("/$emulator", "*/*", true), ("/", "*/*", false), ("/push", "text/html", false),
    ])
    func `redirects a browser from the root to the page`(target: String, accept: String, isRedirected: Bool) throws {
        let request = HTTPRequest(
            method: "GET", target: target, headers: ["Host": "127.0.0.1:8350", "Accept": accept], body: [],
            keepsAlive: true)
        let action = try ControlScene().api.handle(request)
        if case .respond(let response)? = action {
            #expect(isRedirected && response.headers["Location"] == "/$emulator/")
        } else {
            #expect(!isRedirected)
        }
    }

    @Test func `labels every field`() throws {
        let text = try ControlScene().response("GET", "").text
        for match in text.matches(of: #/<(?:input|select|textarea)\s+id="([a-z]+)"/#) {
            let id = String(match.1)
            let isLabelled = text.contains("for=\"\(id)\"") || id == "hub"
            #expect(isLabelled, "\(id)")
        }
    }

    @Test func `receives an update when the hub changes`() async throws {
        let scene = try ControlScene()
        let first = try scene.response("GET", "news").object()
        guard case .string(let revision)? = first["revision"] else {
            Issue.record("no revision")
            return
        }
        let target = "news?revision=\(revision)&deliveries=0&warnings=0&wait=10"
        guard case .poll(_, let check, _)? = scene.action("GET", target) else {
            Issue.record("the response was not delayed")
            return
        }
        #expect(check().map { _ in true } == nil)
        try await scene.register("phone")
        guard case .respond(let response)? = check() else {
            Issue.record("no response")
            return
        }
        #expect(try response.object()["installationCount"] == .integer(1))
        #expect(try response.object()["oldestDelivery"] == .integer(1))
    }
}

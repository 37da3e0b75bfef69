import Foundation
import NotificationHubs
import Testing

@testable import NotificationHubsURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct ExchangeTests {
    @Test func `keeps its end for who comes to wait after it`() async {
        let exchange = Exchange(maximumByteCount: 1, isToAddress: true)
        exchange.finish(URLError(.cancelled))
        await #expect(throws: CancellationError.self) {
            try await withCheckedThrowingContinuation { exchange.wait($0) }
        }
    }

    @Test func `is a cancellation when it is cancelled amid an answer, whatever its status`() async throws {
        let exchange = Exchange(maximumByteCount: 1, isToAddress: true)
        exchange.receive(try head(401))
        exchange.finish(URLError(.cancelled))
        await #expect(throws: CancellationError.self) {
            try await withCheckedThrowingContinuation { exchange.wait($0) }
        }
    }

    @Test(arguments: [401, 407])
    func `is the answer that came with a challenge once that is declined`(status: Int) async throws {
        let exchange = Exchange(maximumByteCount: 1, isToAddress: true)
        exchange.decline(try head(status))
        exchange.finish(URLError(.cancelled))
        let response = try await withCheckedThrowingContinuation { exchange.wait($0) }
        #expect(response.status == status)
    }

    @Test func `has no answer in one that announces another`() async throws {
        let exchange = Exchange(maximumByteCount: 1, isToAddress: true)
        exchange.receive(try head(100))
        exchange.finish(nil)
        let error = await #expect(throws: HubTransportError.self) {
            try await withCheckedThrowingContinuation { exchange.wait($0) }
        }
        #expect(error?.delivery == .unknown)
    }

    #if canImport(FoundationNetworking)
    @Test(arguments: [
        ("SSL certificate problem: certificate has expired", true),
        ("SSL: no alternative certificate subject name matches target host name 'h'", true),
        ("OpenSSL SSL_read: OpenSSL/3.0.19: error:0A000412:SSL routines::sslv3 alert bad certificate, errno 0", false),
        ("Recv failure: Connection reset by peer", false),
    ])
    func `tells a TLS connection that did not come about from one that broke`(text: String, isUnsent: Bool) async {
        let exchange = Exchange(maximumByteCount: 1, isToAddress: true)
        exchange.finish(URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: text]))
        let error = await #expect(throws: HubTransportError.self) {
            try await withCheckedThrowingContinuation { exchange.wait($0) }
        }
        #expect(error?.delivery == (isUnsent ? .unsent : .unknown))
        #expect(error?.description.contains("expired") == text.contains("expired"))
    }
    #endif

    private func head(_ status: Int) throws -> HTTPURLResponse {
        let url = try #require(URL(string: "http://127.0.0.1/"))
        return try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil))
    }
}

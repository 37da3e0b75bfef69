import Foundation
import NotificationHubs
import Testing

@testable import NotificationHubsURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(1))) struct ExchangeTests {
    @Test func `keeps its end for who comes to wait after it`() async {
        let exchange = Exchange(maximumByteCount: 1, isToAddress: true)
        exchange.finish(URLError(.cancelled))
        await #expect(throws: CancellationError.self) {
            try await withCheckedThrowingContinuation { exchange.wait($0) }
        }
    }
}

import Foundation
import Testing

/// Compares with the real service, where `HUB_RECORDINGS` says that its answers are kept. With `HUB_WRITE_ARTICLES` set, the
/// article is written anew.
@Suite(.enabled(if: Recordings.folder != nil, "HUB_RECORDINGS is not set")) struct DifferencesTests {
    @Test func `every difference from the service's answers has a reason`() throws {
        let comparison = try ResponseComparison()
        #expect(comparison.callCount > 60)
        #expect(DifferencesArticle.unexplained(comparison).isEmpty)
        #expect(DifferencesArticle.idleReasons(comparison).isEmpty)
    }

    @Test func `the article tells the differences as they are`() throws {
        let text = DifferencesArticle.text(try ResponseComparison())
        if ProcessInfo.processInfo.environment["HUB_WRITE_ARTICLES"] != nil {
            try Data(text.utf8).write(to: DifferencesArticle.file)
        }
        let article = String(decoding: try Data(contentsOf: DifferencesArticle.file), as: UTF8.self)
        #expect(article == text, "HUB_WRITE_ARTICLES=1 writes it anew")
    }
}

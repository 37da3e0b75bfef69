import Foundation
import Testing

/// Compares the emulator with recordings of the real service in the directory `HUB_RECORDINGS`.
///
/// If `HUB_WRITE_ARTICLES` is set, the test regenerates the article.
@Suite(.enabled(if: Recordings.folder != nil, "HUB_RECORDINGS is not set")) struct DifferencesTests {
    @Test func `finds a documented reason for each difference from the service`() throws {
        let comparison = try ResponseComparison()
        #expect(comparison.callCount > 60)
        #expect(DifferencesArticle.unexplained(comparison).isEmpty)
        #expect(DifferencesArticle.unusedReasons(comparison).isEmpty)
    }

    @Test func `finds an up-to-date article`() throws {
        let text = DifferencesArticle.text(try ResponseComparison())
        if ProcessInfo.processInfo.environment["HUB_WRITE_ARTICLES"] != nil {
            try Data(text.utf8).write(to: DifferencesArticle.file)
        }
        let article = String(decoding: try Data(contentsOf: DifferencesArticle.file), as: UTF8.self)
        #expect(article == text, "set HUB_WRITE_ARTICLES=1 to regenerate the article")
    }
}

/// The files of the page at `/$emulator/`.
///
/// They have a module of their own because the compiler takes seconds to read them. The module depends on no other, so that it
/// compiles beside those that the server waits for.
package enum PageFiles {
    package static let document = text(PackageResources.page_html)
    package static let style = text(PackageResources.page_css)
    package static let script =
        "\"use strict\";\n" + text(PackageResources.cards_js) + text(PackageResources.page_js)
    /// The program of the README, which the page shows.
    package static let program = text(PackageResources.program_txt)

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

import Foundation
import HubLock
import Testing

@Suite struct FileSynchronizationTests {
    @Test func `synchronizes files and directories`() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        for (path, flags) in [(directory.path, O_RDONLY | O_DIRECTORY), (directory.path + "/file", O_RDWR | O_CREAT)] {
            let descriptor = unsafe open(path, flags, 0o600)
            #expect(descriptor >= 0 && synchronizeFile(descriptor))
            close(descriptor)
        }
    }

    @Test func `reports a descriptor that cannot be synchronized`() {
        #expect(!synchronizeFile(-1) && errno == EBADF)
    }
}

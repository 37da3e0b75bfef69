import Foundation
package import Testing

/// A trait of tests that block their thread, for example in ``RawClient``, or that wait for a trap.
///
/// The tests run on threads of their own, because the pool for tasks has only one thread for each processor. A test that waits
/// for a trap must continue soon: Swift Testing uses a whole processor from the end of the child process until then.
package struct Blocking: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        #if os(Linux)
        try await withTaskExecutorPreference(ThreadExecutor.shared) { try await function() }
        #else
        try await function()
        #endif
    }
}

extension Trait where Self == Blocking {
    /// The tests block their thread.
    package static var blocking: Self { Blocking() }
}

#if os(Linux)
/// An executor that runs each job on a new thread. The threads of a dispatch queue come from the pool for tasks.
private final class ThreadExecutor: TaskExecutor {
    static let shared = ThreadExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
#endif

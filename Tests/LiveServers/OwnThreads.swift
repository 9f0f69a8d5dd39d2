package import Testing

/// Runs each test on threads of its own, so that its exchanges with servers do not wait for other tests.
///
/// The threads of Swift's own pool are as many as processors. A test that computes for 20 s holds one of them, and a
/// handshake in another test would exceed its limit.
package struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadPerJob.shared) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    /// Runs each test on threads of its own.
    package static var ownThreads: OwnThreads { OwnThreads() }
}

internal import NIOCore
internal import Sallyport

/// A question of a request to its authenticator. It ends with this object, which may go on with another connection.
final class CredentialWait: Sendable {
    private let task: Task<AuthenticatorAdvice, any Error>

    init(_ ask: @escaping @Sendable () async throws -> AuthenticatorAdvice) {
        task = Task { try await ask() }
    }

    deinit { task.cancel() }

    /// Calls `body` on `loop` when the answer is there.
    func whenAnswered(on loop: any EventLoop, _ body: @escaping (Result<AuthenticatorAdvice, any Error>) -> Void) {
        let bound = NIOLoopBound(body, eventLoop: loop)
        // Ends with the question, which it does not own.
        Task { [task] in
            let answer = await task.result
            loop.execute { bound.value(answer) }
        }
    }
}

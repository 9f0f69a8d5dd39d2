internal import Waiting

/// Makes the calls of a keyring on a thread of the store's own, one after the other, each within a limit.
struct KeyringCalls: Sendable {
    let limit: Duration
    private let threads = WorkerThreads(threads: 1, waiting: CredentialLimits.keyringCalls)

    /// - Parameters:
    ///   - mayAsk: whether a dialog may ask a person.
    ///   - limit: what tests choose in place of the limit of ``CredentialLimits``.
    init(mayAsk: Bool, limit: Duration? = nil) {
        self.limit = limit ?? (mayAsk ? CredentialLimits.keyringDialogTime : CredentialLimits.keyringCallTime)
    }

    /// Calls `body` on the thread. At the limit the caller goes on with an error; the thread is free when `body` ends.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(CredentialStoreError.Problem) -> Value
    ) async throws(CredentialStoreError) -> Value {
        let problem: CredentialStoreError.Problem
        do {
            return try await threads.run(within: limit, body)
        } catch let error as CredentialStoreError.Problem {
            problem = error
        } catch let error as WaitingError {
            switch error {
            case .timedOut: problem = .keyring(.timedOut(milliseconds: Int64(limit / .milliseconds(1))))
            case .noThread(let code): problem = .system(operation: "start a thread", code: code)
            case .tooMany, .stopped: problem = .keyring(.busy)
            }
        } catch {
            problem = .keyring(.cancelled)
        }
        throw CredentialStoreError(place: CredentialStoreError.keyring, problem: problem)
    }
}

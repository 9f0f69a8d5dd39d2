internal import HTTPAuthentication
internal import Negotiate
internal import Synchronization

/// A first message of Kerberos that is fetched for one request. The request waits for ``turn``; dropping this value cancels the fetch.
final class MessageFetch: Sendable {
    private final class Outcome: Sendable {
        let value = Mutex<Result<SystemMessage, any Error>?>(nil)
    }

    /// Is called when the fetch has ended.
    let turn: AttemptTurn
    private let outcome: Outcome
    private let task: Task<Void, Never>

    init(_ need: SystemMessageNeed, from source: any SystemMessageSource) {
        let turn = AttemptTurn(until: MonotonicTime.now + Int64(RequestLimits.messageSeconds) * 1_000_000_000)
        let outcome = Outcome()
        (self.turn, self.outcome) = (turn, outcome)
        task = Task {
            let result: Result<SystemMessage, any Error>
            do { result = .success(try await source.message(for: need)) } catch { result = .failure(error) }
            outcome.value.withLock { $0 = result }
            turn.call()
        }
    }

    deinit { task.cancel() }

    /// The message, or why there is none. The exchange then goes on with NTLM, or ends.
    var supply: SchemeSupply {
        switch outcome.value.withLock({ $0 }) {
        case .success(let message): .message(message)
        case .failure(is RefusedPassword): .passwordRefused
        case .failure(let error): .failed(Self.line(error))
        case nil: .failed("Kerberos: no ticket came within \(RequestLimits.messageSeconds) s; check the KDC")
        }
    }

    /// Why there is no message; `nil` if there is one.
    var obstacle: String? {
        switch outcome.value.withLock({ $0 }) {
        case .success: nil
        case .failure(let refusal as RefusedPassword): Self.line(refusal)
        case .failure, nil:
            if case .failed(let reason) = supply { reason } else { nil }
        }
    }

    private static func line(_ error: any Error) -> String {
        let text = "\(error)"
        // The errors of SystemKerberos begin with this word themselves.
        return "Kerberos: \(text.hasPrefix("Kerberos ") ? String(text.dropFirst(9)) : text)"
    }
}

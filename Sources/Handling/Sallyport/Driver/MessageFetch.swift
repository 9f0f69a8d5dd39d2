internal import HTTPAuthentication
internal import Negotiate
internal import Synchronization

/// A first message of Kerberos that is fetched for one request. The request waits for ``ticket``; dropping this value cancels the fetch.
final class MessageFetch: Sendable {
    private final class Message: Sendable {
        let value = Mutex<SystemMessage?>(nil)
    }

    /// Is called when the fetch has ended.
    let ticket: AttemptTicket
    private let result: Message
    private let task: Task<Void, Never>

    init(_ need: SystemMessageNeed, from source: any SystemMessageSource) {
        let ticket = AttemptTicket(until: MonotonicTime.now + Int64(RequestLimits.messageSeconds) * 1_000_000_000)
        let result = Message()
        (self.ticket, self.result) = (ticket, result)
        task = Task {
            // The source knows why a message is missing. The exchange then goes on with NTLM, or ends.
            if let message = try? await source.message(for: need) { result.value.withLock { $0 = message } }
            ticket.call()
        }
    }

    deinit { task.cancel() }

    /// The message; unavailable before it has come, and after an error.
    var supply: SchemeSupply { result.value.withLock { $0 }.map(SchemeSupply.message) ?? .unavailable }
}

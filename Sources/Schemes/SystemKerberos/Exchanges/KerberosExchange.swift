internal import Synchronization

/// A log-on whose steps run on a ``KerberosWorker``, so that the caller never waits for a KDC on an event loop.
///
/// The context belongs to this value between the steps. It is deleted at once if a step fails, runs out of time or is cancelled, and
/// otherwise with this value.
///
/// ```swift
/// let exchange = KerberosExchange(on: worker) { () throws(KerberosError) in
///     let credential = try credentials.credential(for: .defaultCache())
///     let service = try services.service(host: "wiki.acme.example")
///     return try KerberosInitiator(credential: credential, service: service)
/// }
/// let first = try await exchange.step([])
/// ```
public final class KerberosExchange<Context: KerberosContext & ~Copyable>: Sendable {
    private enum Phase {
        case ready, running, over
    }

    private struct State: ~Copyable {
        var phase = Phase.ready
        var context: Context?
        /// Makes the context in the first step.
        var make: (@Sendable () throws(KerberosError) -> Context)?
    }

    private let worker: KerberosWorker
    private let state: Mutex<State>

    /// Prepares a log-on.
    ///
    /// - Parameters:
    ///   - worker: the threads on which the library is called.
    ///   - make: makes the context. It is called once, on a thread of the worker, in the first step, so it may get a credential.
    public init(
        on worker: KerberosWorker,
        make: @escaping @Sendable () throws(KerberosError) -> Context
    ) {
        self.worker = worker
        state = Mutex(State(context: nil, make: make))
    }

    /// Takes the peer's token, which is empty at a client's start.
    ///
    /// - Parameters:
    ///   - input: the token.
    ///   - limit: another time limit than the worker's.
    /// - Throws: ``KerberosError``, or `CancellationError`. The log-on is then over.
    public func step(_ input: [UInt8], within limit: Duration? = nil) async throws -> KerberosStep {
        let begins = state.withLock { state in
            guard state.phase == .ready else { return false }
            state.phase = .running
            return true
        }
        guard begins else { throw KerberosError(.wait, .outOfTurn) }
        do {
            return try await worker.run(within: limit) { () throws(KerberosError) in try self.advance(input) }
        } catch {
            end()
            throw error
        }
    }

    /// Ends the log-on and deletes the context; a step that runs is finished first, and its result dropped.
    public func end() {
        state.withLock { state in
            state.phase = .over
            state.context = nil
            state.make = nil
        }
    }

    /// Calls `body` with the context between two steps: for integrity codes and for what the log-on led to. Does not wait.
    ///
    /// - Throws: ``KerberosError`` with the reason `outOfTurn` while a step runs, before the first one and after the end.
    public func withContext<Result>(
        _ body: (inout Context) throws(KerberosError) -> Result
    ) throws(KerberosError) -> Result {
        try state.withLock { (state) throws(KerberosError) in
            guard state.phase == .ready, var context = state.context.take() else {
                throw KerberosError(.wait, .outOfTurn)
            }
            let result: Swift.Result<Result, KerberosError>
            do throws(KerberosError) { result = .success(try body(&context)) } catch { result = .failure(error) }
            state.context = consume context
            return try result.get()
        }
    }

    /// One step, on the worker's thread.
    private func advance(_ input: [UInt8]) throws(KerberosError) -> KerberosStep {
        var context = try takeContext()
        let step = try context.step(input.span)
        var kept: Context? = consume context
        state.withLock { state in
            // The caller may have given up meanwhile; then the context is deleted here.
            guard state.phase == .running else { return }
            state.context = kept.take()
            state.phase = .ready
        }
        return step
    }

    private func takeContext() throws(KerberosError) -> Context {
        var context: Context?
        var make: (@Sendable () throws(KerberosError) -> Context)?
        state.withLock { state in
            context = state.context.take()
            make = state.make.take()
        }
        if let context = context.take() { return context }
        guard let make else { throw KerberosError(.wait, .outOfTurn) }
        return try make()
    }
}

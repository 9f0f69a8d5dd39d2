internal import Synchronization

/// The handler in use, which a reload replaces while other threads read it.
///
/// Sites, pins, accounts and schemes change at once, and refused passwords stay known. A request keeps the handler with which it
/// began.
public final class CurrentHandler: Sendable {
    private let current: ThreadLock<ChallengeHandler>
    // Replacements come one after the other, so that each handler succeeds the one before. Readers do not wait for them.
    private let replacements = Mutex<Void>(())

    /// Starts with a handler.
    public init(_ handler: ChallengeHandler) {
        current = ThreadLock(handler)
    }

    /// The handler in use.
    public var handler: ChallengeHandler { current.withLock { $0 } }

    /// Replaces the handler in use by one of `compiled`, and returns it.
    @discardableResult
    public func replace(with compiled: CompiledProfile) -> ChallengeHandler {
        replacements.withLock { _ in
            let successor = ChallengeHandler(compiled, succeeding: handler)
            current.withLock { $0 = successor }
            return successor
        }
    }
}

internal import NTLM
internal import Synchronization

/// Counts wrong passwords by account and by address, for all connections of a server.
///
/// A password that is being checked counts as wrong until it is known to be right, so that many at once get no further than
/// many in a row. Guesses beyond that wait for their turn, because a user with many connections sends the right password on
/// all of them at once.
final class GuessLimits: Sendable {
    /// Who tries to log on.
    struct Guess: Sendable {
        let account: String
        /// `nil` if the peer has no address, as on a Unix socket.
        let place: GuessPlace?
        /// Whether the connection has logged on to the account. Then nothing holds the guess, and a wrong one ends that.
        let isOnKnownConnection: Bool

        init(account: String, address: String?, isOnKnownConnection: Bool = false) {
            self.account = account
            place = address.map { GuessPlace($0) }
            self.isOnKnownConnection = isOnKnownConnection
        }
    }

    /// What a guess meets.
    private enum Obstacle {
        case tooMany(TooManyGuesses)
        /// Guesses that are being checked have taken all places of this key.
        case running(GuessKey)
    }

    private struct Waiter {
        let attempt: GuessAttempt
        let turn: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var table: GuessTable
        /// Attempts that wait, first come first served, by the key that has no place for them. At least one guess of that
        /// key is being checked, and its end looks here.
        var waiters: [GuessKey: [Waiter]] = [:]
    }

    private let rules: GuessRules
    private let clock: @Sendable () -> FileTime
    private let state: Mutex<State>

    init(_ rules: GuessRules, clock: @escaping @Sendable () -> FileTime) {
        self.rules = rules
        self.clock = clock
        state = Mutex(State(table: GuessTable(rules)))
    }

    /// The number of records, for tests.
    var recordCount: Int { state.withLock { $0.table.count } }

    /// The number of attempts that wait, for tests.
    var waiterCount: Int { state.withLock { $0.waiters.values.reduce(0) { $0 + $1.count } } }

    /// Admits a guess, or says after how many seconds to come back. An admitted guess may have to wait for its turn.
    func admit(_ guess: Guess) -> Result<GuessAttempt, TooManyGuesses> {
        let now = clock()
        let attempt = GuessAttempt(self, guess)
        let refusal = state.withLock { enter(attempt, &$0, now) }
        if case .tooMany(let error) = refusal { return .failure(error) }
        return .success(attempt)
    }

    /// Returns when the password may be checked.
    ///
    /// - Throws: ``TooManyGuesses`` if the guesses before it were wrong; `CancellationError` if the task is cancelled.
    fileprivate func turn(of attempt: GuessAttempt) async throws {
        if attempt.phase.load(ordering: .relaxed) == .checking { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (turn: CheckedContinuation<Void, any Error>) in
                let now = clock()
                let result = state.withLock { state -> Result<Void, any Error>? in
                    switch attempt.phase.load(ordering: .relaxed) {
                    case .checking: return .success(())
                    case .ended: return .failure(CancellationError())
                    case .outside: break
                    }
                    switch enter(attempt, &state, now) {
                    case nil: return .success(())
                    case .tooMany(let error): return .failure(error)
                    case .running(let key):
                        wait(Waiter(attempt: attempt, turn: turn), for: key, &state)
                        return nil
                    }
                }
                if let result { turn.resume(with: result) }
            }
        } onCancel: {
            leave(attempt)
        }
    }

    /// Counts the guess among those that are checked, if nothing stands against it.
    private func enter(_ attempt: GuessAttempt, _ state: inout State, _ now: FileTime) -> Obstacle? {
        // A client that waits while its user logs on elsewhere at its host is held by other keys then.
        let keys = attempt.guess.isOnKnownConnection ? [] : state.table.keys(of: attempt.guess, now)
        for key in keys { if let obstacle = obstacle(to: key, state, now) { return obstacle } }
        for key in keys { state.table.change(key, now) { $0.running += 1 } }
        attempt.keys.withLock { $0 = keys }
        attempt.phase.store(.checking, ordering: .relaxed)
        return nil
    }

    private func obstacle(to key: GuessKey, _ state: State, _ now: FileTime) -> Obstacle? {
        let limit = key.kind == .network ? rules.perAddress : rules.perAccount
        let wrong = state.table.wrong(key, now)
        if let wrong, wrong.count >= limit {
            return .tooMany(TooManyGuesses(seconds: max(1, rules.windowSeconds - now.seconds(from: wrong.start))))
        }
        let running = state.table[key]?.running ?? 0
        return running >= limit - (wrong?.count ?? 0) ? .running(key) : nil
    }

    /// Ends the wait of a guess whose task is cancelled.
    private func leave(_ attempt: GuessAttempt) {
        let turn = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard attempt.phase.load(ordering: .relaxed) == .outside else { return nil }
            attempt.phase.store(.ended, ordering: .relaxed)
            return takeTurn(of: attempt, &state)
        }
        turn?.resume(throwing: CancellationError())
    }

    private func takeTurn(of attempt: GuessAttempt, _ state: inout State) -> CheckedContinuation<Void, any Error>? {
        guard let key = attempt.awaited.withLock({ $0.take() }),
            let index = state.waiters[key]?.firstIndex(where: { $0.attempt === attempt })
        else { return nil }
        let turn = state.waiters[key]?.remove(at: index).turn
        if state.waiters[key]?.isEmpty == true { state.waiters[key] = nil }
        return turn
    }

    /// Ends an admitted guess; the first call counts. `isRight` is `nil` if the password was not checked.
    fileprivate func end(_ attempt: GuessAttempt, isRight: Bool?) {
        leave(attempt)
        let now = clock()
        let guess = attempt.guess
        let ready = state.withLock { state -> [(Waiter, TooManyGuesses?)] in
            let phase = attempt.phase.exchange(.ended, ordering: .relaxed)
            guard phase == .checking else { return [] }
            var keys = attempt.keys.withLock { $0 }
            for key in keys { state.table.change(key, now) { $0.running = max(0, $0.running - 1) } }
            switch isRight {
            case true?: state.table.noteLogOn(guess, now)
            case false?:
                if guess.isOnKnownConnection { keys = state.table.keys(of: guess, now) }
                for key in keys { state.table.change(key, now) { $0.wrong += 1 } }
            case nil: break
            }
            return callWaiters(of: keys, &state, now)
        }
        for (waiter, error) in ready {
            if let error { waiter.turn.resume(throwing: error) } else { waiter.turn.resume() }
        }
    }

    /// Takes the waiters whose wait for a place of these keys is over.
    private func callWaiters(of keys: [GuessKey], _ state: inout State, _ now: FileTime) -> [(Waiter, TooManyGuesses?)]
    {
        var ready: [(Waiter, TooManyGuesses?)] = []
        for key in keys {
            guard let waiters = state.waiters[key] else { continue }
            var taken = 0
            loop: for waiter in waiters {
                switch enter(waiter.attempt, &state, now) {
                case nil: ready.append((waiter, nil))
                case .tooMany(let error): ready.append((waiter, error))
                case .running(key): break loop
                case .running(let other): wait(waiter, for: other, &state)
                }
                taken += 1
            }
            state.waiters[key] = taken == waiters.count ? nil : Array(waiters[taken...])
        }
        return ready
    }

    private func wait(_ waiter: Waiter, for key: GuessKey, _ state: inout State) {
        waiter.attempt.awaited.withLock { $0 = key }
        state.waiters[key, default: []].append(waiter)
    }
}

/// Too many wrong passwords.
struct TooManyGuesses: Error, Equatable {
    /// When to come back.
    let seconds: Int64
}

/// One guess that was admitted. If it is dropped, it proves nothing.
final class GuessAttempt: Sendable {
    /// Where the guess is.
    enum Phase: UInt8, AtomicRepresentable {
        /// It waits for its turn, and counts nowhere.
        case outside
        /// It counts as wrong for now.
        case checking
        case ended
    }

    private let limits: GuessLimits
    fileprivate let guess: GuessLimits.Guess
    /// Changes under the lock of the limits only.
    fileprivate let phase = Atomic<Phase>(.outside)
    /// Where it is counted while it is checked, and for what it waits. They change under the lock of the limits only.
    fileprivate let keys = Mutex<[GuessKey]>([])
    fileprivate let awaited = Mutex<GuessKey?>(nil)

    fileprivate init(_ limits: GuessLimits, _ guess: GuessLimits.Guess) {
        self.limits = limits
        self.guess = guess
    }

    deinit {
        if phase.load(ordering: .relaxed) == .checking { limits.end(self, isRight: nil) }
    }

    /// Waits until the password may be checked.
    ///
    /// - Throws: ``TooManyGuesses`` if the guesses before it were wrong; `CancellationError` if the task is cancelled.
    func turn() async throws { try await limits.turn(of: self) }

    /// Ends the attempt; the first call counts.
    func end(isRight: Bool?) { limits.end(self, isRight: isRight) }
}

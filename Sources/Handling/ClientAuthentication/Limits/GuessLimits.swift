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
        let address: String?
    }

    private enum Key: Hashable {
        case account(String)
        case address(String)
        case pair(String, String)
    }

    private struct Record {
        var wrong = 0
        var running = 0
        /// When the first wrong password of the window came.
        var start: FileTime
        /// The last log-on; of a pair only.
        var lastRight: FileTime?
    }

    /// What a guess meets.
    private enum Obstacle {
        case tooMany(TooManyGuesses)
        /// Guesses that are being checked have taken all places of this key.
        case running(Key)
    }

    private struct Waiter {
        let attempt: GuessAttempt
        let turn: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var records: [Key: Record] = [:]
        /// Attempts that wait, first come first served, by the key that has no place for them. At least one guess of that
        /// key is being checked, and its end looks here.
        var waiters: [Key: [Waiter]] = [:]
    }

    /// The most records. At the bound the oldest quarter is forgotten.
    static let maximumRecords = 65_536

    private let rules: GuessRules
    private let clock: @Sendable () -> FileTime
    private let state = Mutex(State())

    init(_ rules: GuessRules, clock: @escaping @Sendable () -> FileTime) {
        self.rules = rules
        self.clock = clock
    }

    /// The number of records, for tests.
    var recordCount: Int { state.withLock { $0.records.count } }

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
                        state.waiters[key, default: []].append(Waiter(attempt: attempt, turn: turn))
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
        let obstacle = obstacle(to: attempt.guess, state, now)
        if obstacle == nil {
            change(&state, attempt.guess, now) { $0.running += 1 }
            attempt.phase.store(.checking, ordering: .relaxed)
        }
        return obstacle
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
        for key in Self.keys(attempt.guess) {
            guard let index = state.waiters[key]?.firstIndex(where: { $0.attempt === attempt }) else { continue }
            let turn = state.waiters[key]?.remove(at: index).turn
            if state.waiters[key]?.isEmpty == true { state.waiters[key] = nil }
            return turn
        }
        return nil
    }

    /// Ends an admitted guess; the first call counts. `isRight` is `nil` if the password was not checked.
    fileprivate func end(_ attempt: GuessAttempt, isRight: Bool?) {
        leave(attempt)
        let now = clock()
        let guess = attempt.guess
        let ready = state.withLock { state -> [(Waiter, TooManyGuesses?)] in
            let phase = attempt.phase.exchange(.ended, ordering: .relaxed)
            guard phase == .checking else { return [] }
            change(&state, guess, now) { $0.running = max(0, $0.running - 1) }
            switch isRight {
            case true?: forgive(&state, guess, now)
            case false?: change(&state, guess, now) { $0.wrong += 1 }
            case nil: break
            }
            for key in Self.keys(guess) where state.records[key].map({ isIdle($0, now) }) == true {
                state.records[key] = nil
            }
            return callWaiters(of: guess, &state, now)
        }
        for (waiter, error) in ready {
            if let error { waiter.turn.resume(throwing: error) } else { waiter.turn.resume() }
        }
    }

    /// Takes the waiters whose wait for a place of `guess` is over.
    private func callWaiters(of guess: Guess, _ state: inout State, _ now: FileTime) -> [(Waiter, TooManyGuesses?)] {
        var ready: [(Waiter, TooManyGuesses?)] = []
        for key in Self.keys(guess) {
            guard let waiters = state.waiters[key] else { continue }
            var taken = 0
            loop: for waiter in waiters {
                switch enter(waiter.attempt, &state, now) {
                case nil: ready.append((waiter, nil))
                case .tooMany(let error): ready.append((waiter, error))
                case .running(key): break loop
                case .running(let other): state.waiters[other, default: []].append(waiter)
                }
                taken += 1
            }
            state.waiters[key] = taken == waiters.count ? nil : Array(waiters[taken...])
        }
        return ready
    }

    private func obstacle(to guess: Guess, _ state: State, _ now: FileTime) -> Obstacle? {
        func wait(_ key: Key, _ limit: Int) -> Obstacle? {
            guard let record = state.records[key] else { return nil }
            let wrong = isOver(record.start, rules.windowSeconds, now) ? 0 : record.wrong
            guard wrong < limit else {
                return .tooMany(TooManyGuesses(seconds: max(1, rules.windowSeconds - now.seconds(from: record.start))))
            }
            return record.running >= limit - wrong ? .running(key) : nil
        }
        if let address = guess.address, let obstacle = wait(.address(address), rules.perAddress) { return obstacle }
        if let address = guess.address, let last = state.records[.pair(guess.account, address)]?.lastRight,
            !isOver(last, rules.familiarSeconds, now)
        {
            return wait(.pair(guess.account, address), rules.perAccount)
        }
        return wait(.account(guess.account), rules.perAccount)
    }

    /// Notes a log-on: the wrong passwords from this address no longer count for the account. Without an address nothing is
    /// forgiven, because the wrong passwords may be a stranger's, who could guess on after each log-on of the user.
    private func forgive(_ state: inout State, _ guess: Guess, _ now: FileTime) {
        let account = Key.account(guess.account)
        guard let address = guess.address else { return }
        let pair = Key.pair(guess.account, address)
        let wrong = state.records[pair]?.wrong ?? 0
        let all = state.records[account]?.wrong ?? 0
        state.records[account]?.wrong = max(0, all - wrong)
        state.records[pair]?.wrong = 0
        state.records[pair]?.lastRight = now
    }

    private func change(_ state: inout State, _ guess: Guess, _ now: FileTime, _ body: (inout Record) -> Void) {
        for key in Self.keys(guess) {
            var record = state.records[key] ?? Record(start: now)
            if record.wrong == 0 || isOver(record.start, rules.windowSeconds, now) {
                record.wrong = 0
                record.start = now
            }
            body(&record)
            if state.records[key] == nil, state.records.count >= Self.maximumRecords { forgetOldest(&state, now) }
            state.records[key] = record
        }
    }

    /// Forgets what no longer counts. If that is less than a quarter, forgets the oldest quarter that is not being checked: first
    /// records below the limits without a log-on.
    private func forgetOldest(_ state: inout State, _ now: FileTime) {
        state.records = state.records.filter { !isIdle($0.value, now) }
        guard state.records.count > Self.maximumRecords / 4 * 3 else { return }
        let bound = min(rules.perAccount, rules.perAddress)
        let oldest = state.records.lazy.filter { $0.value.running == 0 }.map { key, record in
            (key: key, matters: record.lastRight != nil || record.wrong >= bound, start: record.start)
        }.sorted { ($0.matters ? 1 : 0, $0.start) < ($1.matters ? 1 : 0, $1.start) }
        for record in oldest.prefix(Self.maximumRecords / 4) { state.records[record.key] = nil }
    }

    /// Whether forgetting the record changes nothing.
    private func isIdle(_ record: Record, _ now: FileTime) -> Bool {
        guard record.running == 0 else { return false }
        if let last = record.lastRight, !isOver(last, rules.familiarSeconds, now) { return false }
        return record.wrong == 0 || isOver(record.start, rules.windowSeconds, now)
    }

    /// Whether `start` is so far from now, also if the clock was set.
    private func isOver(_ start: FileTime, _ seconds: Int64, _ now: FileTime) -> Bool {
        now.seconds(from: start) >= seconds
    }

    private static func keys(_ guess: Guess) -> [Key] {
        guard let address = guess.address else { return [.account(guess.account)] }
        return [.account(guess.account), .address(address), .pair(guess.account, address)]
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

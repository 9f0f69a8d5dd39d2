internal import NTLM
internal import Synchronization

/// Counts wrong passwords by account and by address, for all connections of a server.
///
/// A password that is being checked counts as wrong until it is known to be right, so that many at once get no further than
/// many in a row.
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

    private struct State {
        var records: [Key: Record] = [:]
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

    /// Admits a guess, or says after how many seconds to come back.
    func admit(_ guess: Guess) -> Result<GuessAttempt, TooManyGuesses> {
        let now = clock()
        let wait = state.withLock { state -> Int64? in
            let wait = waitingTime(of: guess, state, now)
            if wait == nil { change(&state, guess, now) { $0.running += 1 } }
            return wait
        }
        if let wait { return .failure(TooManyGuesses(seconds: wait)) }
        return .success(GuessAttempt(self, guess))
    }

    /// Ends an admitted guess. `isRight` is `nil` if nobody knows.
    fileprivate func end(_ guess: Guess, isRight: Bool?) {
        let now = clock()
        state.withLock { state in
            change(&state, guess, now) { $0.running = max(0, $0.running - 1) }
            switch isRight {
            case true?: forgive(&state, guess, now)
            case false?: change(&state, guess, now) { $0.wrong += 1 }
            case nil: break
            }
            for key in Self.keys(guess) where state.records[key].map({ isIdle($0, now) }) == true {
                state.records[key] = nil
            }
        }
    }

    private func waitingTime(of guess: Guess, _ state: State, _ now: FileTime) -> Int64? {
        func wait(_ key: Key, _ limit: Int) -> Int64? {
            guard let record = state.records[key] else { return nil }
            let wrong = isOver(record.start, rules.windowSeconds, now) ? 0 : record.wrong
            guard wrong + record.running >= limit else { return nil }
            return wrong >= limit ? max(1, rules.windowSeconds - now.seconds(from: record.start)) : 1
        }
        if let address = guess.address, let seconds = wait(.address(address), rules.perAddress) { return seconds }
        if let address = guess.address, let last = state.records[.pair(guess.account, address)]?.lastRight,
            !isOver(last, rules.familiarSeconds, now)
        {
            return wait(.pair(guess.account, address), rules.perAccount)
        }
        return wait(.account(guess.account), rules.perAccount)
    }

    /// Notes a log-on: the wrong passwords from this address no longer count for the account.
    private func forgive(_ state: inout State, _ guess: Guess, _ now: FileTime) {
        let account = Key.account(guess.account)
        guard let address = guess.address else {
            state.records[account]?.wrong = 0
            return
        }
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

    /// Forgets what no longer counts. If that is less than a quarter, forgets the oldest quarter that is not being checked.
    private func forgetOldest(_ state: inout State, _ now: FileTime) {
        state.records = state.records.filter { !isIdle($0.value, now) }
        guard state.records.count > Self.maximumRecords / 4 * 3 else { return }
        let oldest = state.records.filter { $0.value.running == 0 }.sorted { $0.value.start < $1.value.start }
        for (key, _) in oldest.prefix(Self.maximumRecords / 4) { state.records[key] = nil }
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
    private let limits: GuessLimits
    private let guess: GuessLimits.Guess
    private let isOpen = Atomic<Bool>(true)

    fileprivate init(_ limits: GuessLimits, _ guess: GuessLimits.Guess) {
        self.limits = limits
        self.guess = guess
    }

    deinit {
        if isOpen.load(ordering: .relaxed) { limits.end(guess, isRight: nil) }
    }

    /// Ends the attempt; the first call counts.
    func end(isRight: Bool?) {
        guard isOpen.exchange(false, ordering: .relaxed) else { return }
        limits.end(guess, isRight: isRight)
    }
}

internal import NTLM

/// The wrong passwords of a server's clients, and where accounts have logged on.
///
/// | key | holds guesses | room |
/// |---|---|---|
/// | account | from places that the account has not logged on from, all together | ``mostRecords`` with those of networks |
/// | network | for all accounts, from places as above | the same |
/// | account or network, shared | of the keys that came when the table was full | ``sharedRecords`` of each kind |
/// | account and host, known | of a host that has logged on to the account | ``mostKnown``, of them ``mostKnownOfAccount`` for one |
///
/// No flood makes room for itself: a record with guesses of the window stays. A key that finds no room shares a record with others, so that it
/// is held earlier and never later. Accounts that exist and those that do not are treated alike, because a difference would tell which do.
struct GuessTable {
    /// The most records of accounts and networks, without the shared ones.
    static let mostRecords = 131_072
    /// The shared records of accounts, and those of networks.
    static let sharedRecords = 16_384
    /// The most hosts that are known, over all accounts. Only a right password adds one.
    static let mostKnown = 65_536
    /// The most hosts that are known for one account, so that a user cannot make others unknown.
    static let mostKnownOfAccount = 4_096

    private let rules: GuessRules
    private var records: [GuessKey: GuessRecord] = [:]
    private var shared: [GuessKey: GuessRecord] = [:]
    /// By the digest of the account, then by that of the host.
    private var known: [UInt64: [UInt64: KnownHost]] = [:]
    private var knownCount = 0
    private var lastCleaning: FileTime?

    /// A host that has logged on to an account.
    private struct KnownHost {
        var record: GuessRecord
        var lastRight: FileTime
    }

    init(_ rules: GuessRules) { self.rules = rules }

    /// The number of records, for tests.
    var count: Int { records.count + shared.count + knownCount }

    // MARK: - Keys

    /// What holds a guess, and what it counts for.
    mutating func keys(of guess: GuessLimits.Guess, _ now: FileTime) -> [GuessKey] {
        let account = GuessKey(.account, digest: Self.digest(guess.account))
        guard let place = guess.place else { return [key(account, now)] }
        let host = Self.digest(place.host)
        if let found = known[account.digest]?[host], !isOver(found.lastRight, rules.familiarSeconds, now) {
            return [GuessKey(.known(host: host), digest: account.digest)]
        }
        return [key(GuessKey(.network, digest: Self.digest(place.network)), now), key(account, now)]
    }

    /// The seed of the process is random, so that strangers find no names that share a record.
    private static func digest(_ text: String) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(text)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    /// `own`, or the record that it shares.
    private mutating func key(_ own: GuessKey, _ now: FileTime) -> GuessKey {
        if records[own] != nil { return own }
        let other = own.shared(by: Self.sharedRecords)
        // Its guesses may be there, from a time when there was no room.
        if let record = shared[other], !isIdle(record, now) { return other }
        if records.count >= Self.mostRecords { clean(now) }
        return records.count < Self.mostRecords ? own : other
    }

    // MARK: - Records

    subscript(key: GuessKey) -> GuessRecord? {
        get {
            if case .known(let host) = key.kind { return known[key.digest]?[host]?.record }
            return key.isShared ? shared[key] : records[key]
        }
        set {
            if case .known(let host) = key.kind {
                // Only a log-on makes one.
                if let newValue { known[key.digest]?[host]?.record = newValue }
            } else if key.isShared {
                shared[key] = newValue
            } else {
                records[key] = newValue
            }
        }
    }

    /// Changes the record, and forgets it if that changes nothing.
    mutating func change(_ key: GuessKey, _ now: FileTime, _ body: (inout GuessRecord) -> Void) {
        var record = self[key] ?? GuessRecord(start: now)
        if record.wrong == 0 || isOver(record.start, rules.windowSeconds, now) {
            record.wrong = 0
            record.start = now
        }
        body(&record)
        self[key] = isIdle(record, now) && !key.isKnown ? nil : record
    }

    /// The wrong passwords of the window, with its start; `nil` for none.
    func wrong(_ key: GuessKey, _ now: FileTime) -> (count: Int, start: FileTime)? {
        guard let record = self[key], record.wrong > 0, !isOver(record.start, rules.windowSeconds, now) else {
            return nil
        }
        return (record.wrong, record.start)
    }

    /// Notes a right password. No wrong one is forgiven, because it may be a stranger's, who could guess on after each log-on of the user; the
    /// host begins with those of its account, so that no host gets more guesses than a window has.
    mutating func noteLogOn(_ guess: GuessLimits.Guess, _ now: FileTime) {
        guard let place = guess.place, rules.familiarSeconds > 0 else { return }
        let (account, host) = (Self.digest(guess.account), Self.digest(place.host))
        if known[account]?[host] != nil {
            known[account]?[host]?.lastRight = now
            return
        }
        makeRoom(account, now)
        var record = GuessRecord(start: now)
        let counted = key(GuessKey(.account, digest: account), now)
        if let before = wrong(counted, now) {
            // One is left: the user has just shown the right one.
            record.wrong = min(before.count, rules.perAccount - 1)
            record.start = before.start
        }
        known[account, default: [:]][host] = KnownHost(record: record, lastRight: now)
        knownCount += 1
    }

    // MARK: - Room

    /// Forgets what no longer counts, not more often than a few times in a window, because that looks at all records.
    private mutating func clean(_ now: FileTime) {
        if let lastCleaning, !isOver(lastCleaning, rules.windowSeconds / Self.cleaningsInWindow, now) { return }
        lastCleaning = now
        records = records.filter { !isIdle($0.value, now) }
        shared = shared.filter { !isIdle($0.value, now) }
    }

    private static let cleaningsInWindow: Int64 = 8

    /// Makes room for another host of `account`: at a bound the quarter that has logged on least lately is forgotten.
    private mutating func makeRoom(_ account: UInt64, _ now: FileTime) {
        if let hosts = known[account], hosts.count >= Self.mostKnownOfAccount {
            forget(hosts.map { (account, $0.key, $0.value) })
        }
        guard knownCount >= Self.mostKnown else { return }
        forget(known.flatMap { account, hosts in hosts.map { (account, $0.key, $0.value) } })
    }

    private mutating func forget(_ all: [(account: UInt64, host: UInt64, place: KnownHost)]) {
        let oldest = all.filter { $0.place.record.running == 0 }.sorted { $0.place.lastRight < $1.place.lastRight }
        for (account, host, _) in oldest.prefix(max(1, all.count / 4)) {
            known[account]?[host] = nil
            if known[account]?.isEmpty == true { known[account] = nil }
            knownCount -= 1
        }
    }

    /// Whether forgetting the record changes nothing.
    private func isIdle(_ record: GuessRecord, _ now: FileTime) -> Bool {
        record.running == 0 && (record.wrong == 0 || isOver(record.start, rules.windowSeconds, now))
    }

    /// Whether `start` is so far from now, also if the clock was set.
    private func isOver(_ start: FileTime, _ seconds: Int64, _ now: FileTime) -> Bool {
        now.seconds(from: start) >= seconds
    }
}

/// The guesses of one key.
struct GuessRecord {
    var wrong = 0
    var running = 0
    /// When the first wrong password of the window came.
    var start: FileTime
}

/// What guesses are counted by. Digests, because a name may have a kilobyte.
struct GuessKey: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case account
        case network
        /// A host that has logged on to the account of the key.
        case known(host: UInt64)
    }

    let kind: Kind
    let digest: UInt64
    private(set) var isShared = false

    init(_ kind: Kind, digest: UInt64) { (self.kind, self.digest) = (kind, digest) }

    var isKnown: Bool { if case .known = kind { true } else { false } }

    /// One of `count` keys of this kind that several keys share.
    func shared(by count: Int) -> GuessKey {
        var key = GuessKey(kind, digest: digest % UInt64(count))
        key.isShared = true
        return key
    }
}

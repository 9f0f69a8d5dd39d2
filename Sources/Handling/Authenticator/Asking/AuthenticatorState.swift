internal import ChallengeHandling
internal import CredentialSources
internal import CredentialStores
internal import Credentials
internal import HTTPAuthentication
internal import Hostnames
internal import OAuth
internal import SPKIPins
internal import Secrets

/// What an authenticator remembers.
struct AuthenticatorState: Sendable {
    /// An account whose credential came from a source or a store.
    struct Supplied: Sendable {
        let credential: SuppliedCredential
        let question: CredentialQuestion
        let place: AccountPlace
        /// Where a store keeps it.
        let space: CredentialSpace
        /// Who brought it.
        let source: CredentialAsk.Source
        /// The record that it came from; `nil` if it came from a source.
        let record: CredentialName?
        /// When the record was written that has it, in seconds since 1970; `nil` if none is known to.
        var written: Int64?
        /// The account of the profile that it replaced; `nil` if there was none.
        var previous: AccountAssignment?
        /// Whether a party has accepted it.
        var isProven = false
    }

    /// A token that a source has brought for a place.
    struct Token: Sendable {
        let token: AccessToken
        /// The set of places for which it came.
        let era: UInt64
        /// When it came, in seconds since 1970.
        let received: Int64
        /// From when on another one takes its place before a request goes out; `nil` if it has no end.
        let renewal: Int64?
        /// The account of the profile that it replaced; `nil` if there was none.
        var previous: AccountAssignment?
        /// Whether a party has accepted it.
        var isProven = false
        /// Whether it came because a body refused the one before it.
        var followsBody = false

        /// Whether it came less than `margin` seconds ago. A clock that was put back makes no token new.
        func isNew(at now: Int64, margin: Int64) -> Bool { received <= now && now - received < margin }
    }

    /// A realm for which no source is asked any more.
    struct Rejected: Hashable, Sendable {
        let party: CredentialQuestion.Party
        let origin: Origin
        let realm: String?
    }

    /// The key of a server that no authority vouches for.
    struct ServerKey: Hashable, Sendable {
        let host: Hostname
        let pin: Pin
    }

    /// A host whose request for a certificate several identities fit.
    struct IdentityKey: Hashable, Sendable {
        let host: Hostname
        let candidates: [IdentityCandidate]
    }

    /// The most rejected spaces, refused records and rejected keys. Beyond it any one is forgotten for each new one.
    static let maximumRemembered = 4_096

    /// Counts sign-outs. A reply to a question from before a sign-out does not count after it.
    private(set) var signOuts: UInt64 = 0
    /// By the name of the account.
    var supplied: [String: Supplied] = [:] {
        didSet { awaitsProof = supplied.values.contains { !$0.isProven } }
    }
    /// Whether any of them is not known to be right yet. Kept, because each accepted request asks.
    private(set) var awaitsProof = false
    /// By the name of the place.
    var tokens: [String: Token] = [:]
    /// What refusals of the tokens of a place tell, by its name.
    var refusedTokens: [String: TokenRefusals] = [:]
    private var rejected: Set<Rejected> = []
    /// The password of each record that a party refused, and when it was written: one that takes its place later may be tried.
    private var refusedRecords: [CredentialName: (password: SharedSecret, written: Int64)] = [:]
    /// The keys that are trusted until the sign-out.
    private(set) var trusted: [TrustedKey] = []
    private var rejectedKeys: Set<ServerKey> = []
    /// The identities that a person has chosen, until the sign-out.
    private(set) var chosen: [ChosenIdentity] = []
    /// The tasks that remove accounts when their time is over.
    var expiries: [String: Task<Void, Never>] = [:]
    /// Who closes connections after a sign-out; one that returns false is gone.
    var closers: [@Sendable () -> Bool] = []

    /// What was brought for `account`, if it is not known to be right yet; `nil` also if another password has taken its place.
    func unproven(_ account: Account) -> Supplied? {
        guard let known = supplied[account.name], !known.isProven,
            known.credential.password === account.credential.password
        else { return nil }
        return known
    }

    /// The same, once: it is known to be right now.
    mutating func prove(_ account: Account) -> Supplied? {
        guard let known = unproven(account) else { return nil }
        supplied[account.name]?.isProven = true
        return known
    }

    mutating func reject(_ space: Rejected) {
        if rejected.count >= Self.maximumRemembered { rejected.removeFirst() }
        rejected.insert(space)
    }

    func isRejected(_ space: Rejected) -> Bool { rejected.contains(space) }

    /// Notes that a party refused the password of a record. The record is not tried again until it is written anew.
    ///
    /// - Parameters:
    ///   - written: when it was written; `nil` if that is not known. Then the first refusal counts, which each later request tells again.
    ///   - now: the time of this refusal.
    mutating func refused(_ record: CredentialName, _ password: SharedSecret, written: Int64?, now: Int64) {
        let known = refusedRecords[record].flatMap { $0.password.isSame(as: password) ? $0.written : nil }
        if refusedRecords.count >= Self.maximumRemembered, let any = refusedRecords.keys.first {
            refusedRecords[any] = nil
        }
        refusedRecords[record] = (password, written ?? known ?? now)
    }

    /// Whether a party refused the record, and it has not been written since.
    func isRefused(_ record: CredentialName, _ password: SharedSecret, written: Int64) -> Bool {
        refusedRecords[record].map { written <= $0.written && $0.password.isSame(as: password) } ?? false
    }

    /// Whether a record was written after the password that an account has from it, or, if that is not known, after its refusal.
    func isWrittenAnew(_ record: CredentialName, since account: String?, at written: Int64) -> Bool {
        let before = account.flatMap { supplied[$0]?.written } ?? refusedRecords[record]?.written
        return before.map { written > $0 } ?? false
    }

    /// Whether a party refused a password of the record.
    func wasRefused(_ record: CredentialName) -> Bool { refusedRecords[record] != nil }

    mutating func trust(_ key: TrustedKey, now: Int64) {
        trusted.removeAll { $0.until <= now || $0.host == key.host && $0.pin == key.pin }
        trusted.append(key)
    }

    mutating func reject(_ key: ServerKey) {
        if rejectedKeys.count >= Self.maximumRemembered { rejectedKeys.removeFirst() }
        rejectedKeys.insert(key)
    }

    func isRejected(_ key: ServerKey) -> Bool { rejectedKeys.contains(key) }

    mutating func choose(_ choice: ChosenIdentity) {
        chosen.removeAll { $0.host == choice.host }
        chosen.append(choice)
    }

    mutating func cancelExpiries() {
        for expiry in expiries.values { expiry.cancel() }
        expiries = [:]
    }

    /// The accounts that stay in a new profile.
    ///
    /// - Parameters:
    ///   - named: the accounts that the profile itself has.
    ///   - new: the places that come with it; `nil` if those in use stay. Tokens belong to the sources of the last places, and a password to
    ///     a place with the same rules.
    func kept(besides named: Set<String>, from old: KnownPlaces, to new: KnownPlaces?) -> Set<String> {
        var names = Set(supplied.keys)
        if let new {
            names.subtract(old.all.filter { place in !new.all.contains { $0.hasRules(of: place) } }.map(\.name))
        } else {
            names.formUnion(tokens.keys)
        }
        return names.subtracting(named)
    }

    /// Forgets accounts that the new profile does not have from here. What has come for the new places stays.
    mutating func forget(_ accounts: Set<String>, before new: KnownPlaces?) {
        for name in accounts {
            supplied[name] = nil
            if new == nil || tokens[name]?.era != new?.era { tokens[name] = nil }
        }
        if new != nil { refusedTokens = [:] }
    }

    /// Forgets everything but who closes connections.
    mutating func forget() {
        signOuts += 1
        supplied = [:]
        tokens = [:]
        refusedTokens = [:]
        cancelExpiries()
        rejected = []
        refusedRecords = [:]
        trusted = []
        rejectedKeys = []
        chosen = []
    }
}

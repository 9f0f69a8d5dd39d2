internal import AllowedSites
internal import ClientCertificates
internal import CredentialStores
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport
internal import SallyportNIO
internal import Secrets
internal import Synchronization
internal import WireFormat

/// The client certificates of a command: that of its options, and those of its profile.
final class CommandIdentities: Sendable {
    typealias Assignment = SecurityProfile.Assignment<ClientIdentity>

    /// What was read of a profile that changes nothing yet.
    struct Reading: Sendable {
        fileprivate let watched: IdentityWatch.Reading
        fileprivate let fixed: [Assignment]
    }

    /// Before its end by so many seconds, a certificate that is presented brings a warning: seven days.
    private static let margin: Int64 = 7 * 86_400
    /// How often a relay looks for renewed certificates. It is short, because a look reads the state of a few files.
    private static let interval = Duration.seconds(5)

    /// That of the options; `nil` without one.
    private let option: ProfileIdentity?
    private let watch: IdentityWatch
    /// They stay open until the command ends.
    private let cards: [OpenCard]
    /// Those on cards, and those of the profile without a key: a server that asks for one of these is refused with that reason.
    private let fixed: Mutex<[Assignment]>
    /// The sealed store, if an identity is in it.
    private let store: (any CredentialStore)?
    /// The passphrases that a person has typed, by the path of the file.
    private let typed: [String: SharedSecret]

    /// Reads the certificates; asks for passphrases and PINs if they are needed. Blocks the calling thread.
    ///
    /// The caller ends the sessions of cards with ``close()``.
    ///
    /// - Parameters:
    ///   - option: that of the options. Its servers get no other one.
    ///   - contents: the profile; `nil` without one.
    ///   - store: opens the store, if an identity is in it.
    init(
        _ option: ProfileIdentity?,
        _ contents: ProfileContents?,
        mayAsk: Bool,
        store: () throws -> any CredentialStore
    ) throws {
        self.option = option
        let entries = Self.entries(option, contents)
        var cards: [OpenCard] = []
        do {
            for case (let entry, .card(let uri)) in entries.map({ ($0, $0.place) }) {
                cards.append(try OpenCard(entry, uri: uri, mayAsk: mayAsk))
            }
            self.store = try Self.store(of: entries, store)
            let sorted = try Self.sort(entries, contents, cards, self.store, [:])
            fixed = Mutex(sorted.fixed)
            (watch, typed) = try Self.read(sorted.places, entries, mayAsk: mayAsk)
        } catch {
            cards.forEach { $0.close() }
            throw error
        }
        self.cards = cards
        watchCards()
    }

    /// All certificates, and the servers that may get them. That of the options is the first, because of rules that are equally specific
    /// the first one counts.
    var assignments: [Assignment] {
        let all = watch.assignments + fixed.withLock { $0 }
        return all.filter { $0.value.name == option?.name } + all.filter { $0.value.name != option?.name }
    }

    /// Whether one is on a card, which stays as it was opened.
    var hasCards: Bool { !cardsInUse.isEmpty }

    private var cardsInUse: [ClientIdentity] {
        assignments.map(\.value).filter { identity in cards.contains { $0.identity == identity } }
    }

    private func watchCards() { watch.watchEnds(of: cardsInUse) }

    /// The last seconds in which the certificates with keys are valid.
    var ends: [Int64] { watch.ends }

    /// Ends the sessions of cards. Blocks the calling thread.
    func close() { cards.forEach { $0.close() } }

    /// Puts the certificates into the rules in use, with their chains as the keys order them: TLS finds a key by the whole identity.
    ///
    /// - Parameter further: rules for servers that may get the one of the options, too.
    func install(in current: CurrentHandler, at now: Int64, optionAlsoFor further: [String] = []) throws {
        var assignments = assignments
        guard !assignments.isEmpty else { return }
        if let option = assignments.first, option.value.name == self.option?.name {
            let sites = option.sites + further.filter { !option.sites.contains($0) }
            let others = assignments.dropFirst().map { other in
                Assignment(other.value, sites: Self.sites(other.sites, leaving: sites))
            }
            assignments = [Assignment(option.value, sites: sites)] + others.filter { !$0.sites.isEmpty }
        }
        try current.update(at: now) { $0.identities = assignments }
    }

    /// Puts the keys where TLS finds them.
    func addKeys(to settings: inout TLSSettings) {
        settings.identities = watch.ring
        for card in cards { settings.signingKeys[card.identity.name] = card.key }
    }

    /// Why the certificate that a server would get should be renewed, or why no server would get it; `nil` if all is well.
    func warning(for origin: Origin, _ current: CurrentHandler, at now: Int64) -> String? {
        switch current.handler.identityChoice(for: origin, .unknown, at: now) {
        case .one(let identity):
            guard let candidate = try? IdentityCandidate(identity), candidate.notAfter - now < Self.margin else {
                return nil
            }
            return "\(IdentityEvent.expiresSoon(identity: identity.name, notAfter: candidate.notAfter))"
        case .none(let refusal):
            switch refusal {
            case .identityExpired, .identityNotYetValid, .identityNotForClients: return "\(refusal)"
            default: return nil
            }
        case .several: return nil
        }
    }

    // MARK: - Renewal

    /// Takes renewed certificates until the task is cancelled.
    func renew(_ authenticator: Authenticator, report: @escaping @Sendable (IdentityEvent) -> Void) async throws {
        try await watch.run(authenticator, report: report)
    }

    /// Reads the certificates of a profile that was read again. It asks no person for a secret.
    func read(_ contents: ProfileContents?) async throws -> Reading {
        let entries = Self.entries(option, contents)
        let sorted = try Self.sort(entries, contents, cards, store, typed)
        do {
            return Reading(watched: try await watch.read(sorted.places), fixed: sorted.fixed)
        } catch let error as IdentityError {
            throw entries.first { $0.holds(error.place) }?.problem(error) ?? error
        }
    }

    /// Takes what was read.
    func use(_ reading: Reading, _ authenticator: Authenticator) async throws {
        let before = fixed.withLock { fixed in
            defer { fixed = reading.fixed }
            return fixed
        }
        do { try await watch.use(reading.watched, authenticator) } catch {
            fixed.withLock { $0 = before }
            throw error
        }
        watchCards()
    }

    // MARK: - Reading

    /// Those of the profile without the rules of the option, and the option's: the argument is meant.
    private static func entries(_ option: ProfileIdentity?, _ contents: ProfileContents?) -> [ProfileIdentity] {
        let known = contents?.identities ?? []
        guard let option else { return known }
        let others = known.map { entry in
            let sites = sites(entry.sites, leaving: option.sites)
            return ProfileIdentity(
                name: entry.name,
                place: entry.place,
                secret: entry.secret,
                sites: sites,
                line: entry.line
            )
        }
        return others.filter { !$0.sites.isEmpty } + [option]
    }

    /// The rules that are not among those of the option. They are compared as rules, because "a.example" and "https://a.example" are one.
    private static func sites(_ sites: [String], leaving option: [String]) -> [String] {
        let taken = Set(option.compactMap(rule))
        return sites.filter { site in rule(site).map { !taken.contains($0) } ?? true }
    }

    private static func rule(_ site: String) -> SiteRule? { try? SiteRule(parsing: site, allowingPublicSuffix: true) }

    private static func sort(
        _ entries: [ProfileIdentity],
        _ contents: ProfileContents?,
        _ cards: [OpenCard],
        _ store: (any CredentialStore)?,
        _ typed: [String: SharedSecret]
    ) throws -> (places: [IdentityPlace], fixed: [Assignment]) {
        var (places, fixed): ([IdentityPlace], [Assignment]) = ([], [])
        for entry in entries {
            let source: IdentityPlace.Source
            switch entry.place {
            case .card(let uri):
                guard let card = cards.first(where: { $0.identity.name == entry.name && $0.uri == uri }) else {
                    throw RequestProblem.notAtStart(entry.shown, "its card")
                }
                fixed.append(Assignment(card.identity, sites: entry.sites))
                continue
            case .store(let record):
                guard let store else { throw RequestProblem.notAtStart(entry.shown, "the store") }
                source = .stored(record, in: store)
            case .command(let words): source = .command(words)
            case .pem(let path, key: nil) where entry.secret == nil && hasNoKey(path):
                let known = contents?.compiled.profile.identities.filter { $0.value.name == entry.name } ?? []
                fixed += known.map { Assignment($0.value, sites: entry.sites) }
                continue
            case .pem(let path, let key):
                let files = key.map { IdentityFiles.pair(certificates: path, key: $0) } ?? .one(path)
                source = .files(files, passphrase: (entry.secret ?? typed[files.keyFile]).map { .text($0) })
            case .pkcs12(let path):
                source = .files(.one(path), passphrase: (entry.secret ?? typed[path]).map { .text($0) })
            }
            places.append(IdentityPlace(name: entry.name, source: source, sites: entry.sites))
        }
        return (places, fixed)
    }

    /// The store, if an identity is in it. The error names the first such identity.
    private static func store(
        of entries: [ProfileIdentity],
        _ open: () throws -> any CredentialStore
    ) throws -> (any CredentialStore)? {
        guard let entry = entries.first(where: { if case .store = $0.place { true } else { false } }) else {
            return nil
        }
        do { return try open() } catch let error as StoreProblem where entry.line != nil {
            throw RequestProblem.identity(entry.shown, "\(error)")
        }
    }

    private static func hasNoKey(_ path: String) -> Bool {
        do throws(IdentityError) {
            _ = try KeyedIdentity(name: "", reading: .one(path))
            return false
        } catch {
            return error.problem == .noKey
        }
    }

    /// Reads the identities, and asks for each passphrase that is missing.
    private static func read(
        _ places: [IdentityPlace],
        _ entries: [ProfileIdentity],
        mayAsk: Bool
    ) throws -> (watch: IdentityWatch, typed: [String: SharedSecret]) {
        var (places, typed) = (places, [String: SharedSecret]())
        while true {
            do {
                let options = IdentityWatchOptions(interval: interval)
                return (try Blocking.run { [places] in try await IdentityWatch(places, options: options) }, typed)
            } catch let error as IdentityError {
                guard let entry = entries.first(where: { $0.holds(error.place) }) else { throw error }
                let (problem, path) = (entry.problem(error), error.place)
                // A passphrase is asked for once, and not for what a program prints.
                guard mayAsk, typed[path] == nil, case .noPassphrase = problem else { throw problem }
                let passphrase: SharedSecret
                do {
                    passphrase = try TypedSecret.read("passphrase of \(path.inOneLine)", else: "")
                } catch TypedSecretError.noTerminal {
                    throw problem
                }
                typed[path] = passphrase
                for index in places.indices {
                    guard case .files(let files, nil) = places[index].source, files.keyFile == path else { continue }
                    places[index].source = .files(files, passphrase: .text(passphrase))
                }
            }
        }
    }
}

public import AllowedSites
internal import Credentials
public import HTTPAuthentication
internal import Hostnames
public import NTLM
public import SPKIPins
internal import Synchronization

/// A security profile in the form that decisions need: built once, and replaced as a whole.
///
/// Sites and pins may come from images that were compiled before, such as files that are mapped into memory.
public final class CompiledProfile: Sendable {
    /// A pin entry that has expired. It rejects its own hosts if it enforces; the rest of the profile is not affected.
    public struct ExpiredPins: Equatable, Sendable {
        /// The index of the entry in the profile.
        public let entry: Int
        /// The pattern of its hosts.
        public let pattern: String
    }

    private static let lastNumber = Atomic<UInt64>(0)

    /// A number that no other compiled profile of the process has.
    let number = CompiledProfile.lastNumber.add(1, ordering: .relaxed).newValue
    /// The profile that was compiled.
    public let profile: SecurityProfile
    let sites: SiteTrie
    let schemes: [AnswerableScheme]
    let available: [AnswerableScheme]
    /// Who answers challenges where.
    let accounts: AssignmentTable
    /// Whose token goes along where; `nil` if no account has a placement.
    let placements: AssignmentTable?
    /// The accounts, in the order of the profile.
    let keys: [AccountKeys]
    /// Whether any token is bound to a key, so that sends carry proofs.
    let provesKeys: Bool
    private let identityTable: IdentityTable
    private let identities: [IdentityCandidate]
    /// `nil` if the profile has no pins.
    let pins: PinPolicy?
    /// Remembers the hashes of keys, because servers present the same few again and again.
    let memo = PinMemo()
    /// The pin entries that had expired when the profile was compiled.
    public let expiredPins: [ExpiredPins]

    /// Compiles a profile.
    ///
    /// - Parameters:
    ///   - profile: the rules.
    ///   - now: Unix time in seconds, to find expired pins; by default that of the system's clock.
    ///   - sites: a compiled list to use instead of the profile's sites, or `nil`.
    ///   - pins: a compiled policy to use instead of the profile's pins, or `nil`.
    /// - Complexity: linear in the profile; one NT hash an account.
    public convenience init(
        _ profile: SecurityProfile,
        at now: Int64 = FileTime.now.unixSeconds,
        sites: SiteTrie? = nil,
        pins: PinPolicy? = nil
    ) throws(ProfileError) {
        try self.init(profile, at: now, sites: sites, pins: pins, available: AnswerableScheme.standard)
    }

    /// The same with other schemes than ``AnswerableScheme/standard``.
    package init(
        _ profile: SecurityProfile,
        at now: Int64,
        sites: SiteTrie? = nil,
        pins: PinPolicy? = nil,
        available: [AnswerableScheme]
    ) throws(ProfileError) {
        try Self.checkNames(profile.accounts.map(\.account.name))
        self.profile = profile
        self.available = available
        let schemes = try AnswerableScheme.resolve(profile.schemes, in: available)
        self.schemes = schemes
        var keys: [AccountKeys] = []
        for assignment in profile.accounts {
            keys.append(try AccountKeys(assignment, profileSchemes: schemes, available: available))
        }
        self.keys = keys
        provesKeys = keys.contains { $0.bound != nil }
        let (sitesOfAccounts, owner) = (profile.accounts.map(\.sites), { profile.accounts[$0].account.name })
        let isPlaced = { profile.accounts[$0].placement != nil }
        accounts = try AssignmentTable(sites: sitesOfAccounts, owner: owner) { !isPlaced($0) }
        placements =
            profile.accounts.indices.contains(where: isPlaced)
            ? try AssignmentTable(sites: sitesOfAccounts, owner: owner, including: isPlaced) : nil
        identityTable = try Self.table(profile.identities.map { ($0.value.name, $0.sites) })
        identities = try Self.candidates(profile.identities.map(\.value))
        self.sites = sites ?? SiteTrie(compiling: profile.sites)
        if let pins { self.pins = pins } else { self.pins = try Self.compile(profile.pins, version: profile.version) }
        expiredPins = profile.pins.enumerated().compactMap { index, entry in
            guard let end = entry.expiry, end <= now else { return nil }
            return ExpiredPins(entry: index, pattern: entry.host)
        }
    }

    /// Compiles a profile with other accounts or identities; the compiled sites and pins stay, also those of images.
    func recompiled(_ profile: SecurityProfile, at now: Int64) throws(ProfileError) -> CompiledProfile {
        try CompiledProfile(profile, at: now, sites: sites, pins: pins, available: available)
    }

    /// The identities that are assigned to `origin`.
    func identities(for origin: Origin) -> [IdentityCandidate] {
        identityTable.identities(for: origin).map { identities[$0] }
    }

    /// Checks the names and the rules of identities whose certificates are not read yet.
    package static func check(identities: [(name: String, sites: [String])]) throws(ProfileError) {
        _ = try table(identities)
    }

    private static func table(_ identities: [(name: String, sites: [String])]) throws(ProfileError) -> IdentityTable {
        try checkNames(identities.map(\.name))
        return try IdentityTable(sites: identities.map(\.sites)) { identities[$0].name }
    }

    private static func candidates(_ identities: [ClientIdentity]) throws(ProfileError) -> [IdentityCandidate] {
        var candidates: [IdentityCandidate] = []
        for identity in identities {
            do throws(CertificateError) {
                candidates.append(try IdentityCandidate(identity))
            } catch {
                throw .invalidCertificate(identity: identity.name, error)
            }
        }
        return candidates
    }

    private static func compile(
        _ entries: [PinPolicy.Entry],
        version: UInt64
    ) throws(ProfileError) -> PinPolicy? {
        guard !entries.isEmpty else { return nil }
        do throws(PinPolicyError) {
            // Entries that have expired are compiled too: they reject their own hosts, and do not stop the profile.
            return try PinPolicy(compiling: entries, version: version, at: .min)
        } catch {
            throw .pins(error)
        }
    }

    private static func checkNames(_ names: [String]) throws(ProfileError) {
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted { throw .duplicateName(name) }
    }
}

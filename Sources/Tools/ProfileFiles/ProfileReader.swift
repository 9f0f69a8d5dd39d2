internal import AllowedSites
public import ChallengeHandling
internal import Credentials
public import Foundation
internal import HTTPAuthentication
internal import SPKIPins
internal import Secrets
internal import WireFormat

/// Reads a security profile from YAML; the documentation of this target shows the format.
public struct ProfileReader {
    /// The most bytes of a profile file or certificate file.
    public static let maximumBytes = 4 * 1024 * 1024
    /// The most elements of a list.
    public static let maximumElements = 100_000
    /// The supported `version`.
    public static let version = 1

    private let url: URL
    private let lockout: LockoutRules
    private let keeps: (String) -> Bool
    private let warn: (ProfileFileError) -> Void

    /// Reads `url` and loads its secrets and certificates. Relative paths start from its folder.
    public static func read(_ url: URL) throws(ProfileFileError) -> SecurityProfile {
        try compile(url, at: .min).profile
    }

    /// The same, compiled.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - now: Unix time in seconds, to find expired pins.
    ///   - lockout: the rules about refused passwords that the file does not name.
    ///   - warn: called for each secret file that other users of the machine may read, and for each entry of `pins` that has
    ///     expired. With `strict: true` in the profile such a file is an error.
    ///   - keeps: whether the profile gets the account with this name; the others are read and left out.
    public static func compile(
        _ url: URL,
        at now: Int64,
        lockout: LockoutRules = LockoutRules(),
        warn: (ProfileFileError) -> Void = { _ in },
        keeping keeps: (String) -> Bool = { _ in true }
    ) throws(ProfileFileError) -> CompiledProfile {
        try contents(url, at: now, lockout: lockout, warn: warn, keeping: keeps).compiled
    }

    /// The same, with the accounts whose tokens come from services.
    public static func contents(
        _ url: URL,
        at now: Int64,
        lockout: LockoutRules = LockoutRules(),
        warn: (ProfileFileError) -> Void = { _ in },
        keeping keeps: (String) -> Bool = { _ in true }
    ) throws(ProfileFileError) -> ProfileContents {
        // The closures do not outlive the call: readers that hold them live in this scope.
        try withoutActuallyEscaping(warn) { (warn) throws(ProfileFileError) in
            try withoutActuallyEscaping(keeps) { (keeps) throws(ProfileFileError) in
                try ProfileReader(url: url, lockout: lockout, keeps: keeps, warn: warn).contents(at: now)
            }
        }
    }

    private func contents(at now: Int64) throws(ProfileFileError) -> ProfileContents {
        let root = try parse()
        let known = [
            "version", "strict", "sites", "schemes", "accounts", "identities", "pins", "pinReports", "trustedKeys",
            "lockout",
        ]
        let fields = try root.mapping(known: known)
        let version = try fields.required("version", in: root)
        guard try version.integer() == Self.version else { throw version.error("expected \(Self.version)") }
        let paths = ProfilePaths(profile: url)
        let (list, trie) = try ImageReader(paths: paths).sites(try fields.required("sites", in: root), orElse: sites)
        var profile = SecurityProfile(
            sites: list,
            schemes: try SchemeReader.schemes(try fields.required("schemes", in: root))
        )
        profile.lockout =
            try fields["lockout"].map { node throws(ProfileFileError) in try LockoutReader.rules(node, lockout) }
            ?? lockout
        let accounts = try fields["accounts"]?.sequence() ?? []
        let identities = try fields["identities"]?.sequence() ?? []
        let policy = try fields["pins"].flatMap { node throws(ProfileFileError) in
            try ImageReader(paths: paths).pins(node)
        }
        let pins = policy == nil ? try fields["pins"]?.sequence() ?? [] : []
        let secrets = SecretRules(isStrict: try fields["strict"]?.boolean() ?? false, warn: warn)
        let reader = AccountReader(paths: paths, secrets: secrets)
        var places = ProfilePlaces(root: root, pins: pins)
        let tokenAccounts = try readAccounts(accounts, reader, into: &profile, &places)
        if profile.accounts.contains(where: { $0.negotiate.usesKerberos }) { profile.kerberos = KerberosMessages() }
        let found = try readIdentities(identities, reader, into: &profile, &places)
        for node in pins { profile.pins.append(try PinEntryReader.entry(node)) }
        let pinReports = try fields["pinReports"].map { node throws(ProfileFileError) in try OAuthReader.url(node) }
        for node in try fields["trustedKeys"]?.sequence() ?? [] {
            profile.trustedKeys.append(try TrustedKeyReader.key(node))
        }
        do throws(ProfileError) {
            try CompiledProfile.check(identities: found.map { ($0.name, $0.sites) })
            let compiled = try CompiledProfile(profile, at: now, sites: trie, pins: policy)
            warnOfExpiredPins(compiled, places)
            // Compiling with the placeholders also finds names and rules that two accounts have.
            var all = profile
            all.accounts += tokenAccounts.map(\.placeholder)
            return ProfileContents(
                compiled: compiled,
                tokenAccounts: tokenAccounts,
                identities: found,
                pinReports: pinReports,
                withPlaceholders: tokenAccounts.isEmpty
                    ? compiled : try CompiledProfile(all, at: now, sites: trie, pins: policy)
            )
        } catch {
            throw places.place(of: error).error("\(error)")
        }
    }

    /// Adds the accounts whose secrets the profile names, and returns those whose tokens come from services.
    private func readAccounts(
        _ nodes: [ProfileNode],
        _ reader: AccountReader,
        into profile: inout SecurityProfile,
        _ places: inout ProfilePlaces
    ) throws(ProfileFileError) -> [TokenAccount] {
        var tokenAccounts: [TokenAccount] = []
        var owners: [String: ProfileNode] = [:]
        for node in nodes {
            let name: String
            if let account = try tokenAccount(node, reader) {
                name = account.name
                guard keeps(name) else { continue }
                tokenAccounts.append(account)
                owners[name] = node
            } else {
                let assignment = try reader.assignment(node)
                name = assignment.account.name
                guard keeps(name) else { continue }
                profile.accounts.append(assignment)
            }
            places.owners.append((name, node))
        }
        try ArcGISReader.join(&tokenAccounts, owners)
        return tokenAccounts
    }

    private func tokenAccount(_ node: ProfileNode, _ reader: AccountReader) throws(ProfileFileError) -> TokenAccount? {
        if let account = try OAuthReader(accounts: reader).account(node) { return .oauth(account) }
        return try ArcGISReader(accounts: reader).account(node).map { .arcGIS($0) }
    }

    /// Adds the client certificates in PEM, and returns where all are.
    private func readIdentities(
        _ nodes: [ProfileNode],
        _ reader: AccountReader,
        into profile: inout SecurityProfile,
        _ places: inout ProfilePlaces
    ) throws(ProfileFileError) -> [ProfileIdentity] {
        var found: [ProfileIdentity] = []
        for node in nodes {
            let (identity, chain) = try IdentityReader(accounts: reader).identity(node)
            if !chain.isEmpty {
                let certificate = ClientIdentity(name: identity.name, certificateChain: chain)
                profile.identities.append(SecurityProfile.Assignment(certificate, sites: identity.sites))
            }
            found.append(identity)
            places.owners.append((identity.name, node))
        }
        return found
    }

    private func warnOfExpiredPins(_ compiled: CompiledProfile, _ places: ProfilePlaces) {
        for expired in compiled.expiredPins {
            let effect = compiled.profile.pins[expired.entry].mode == .enforce ? "rejected" : "not checked"
            warn(places.pins[expired.entry].error("has expired, so that its hosts are \(effect): renew the pins"))
        }
    }

    private func parse() throws(ProfileFileError) -> ProfileNode {
        let data: Data
        do throws(FileReadError) {
            data = try ProfilePaths.read(FileReading.openStream(url.path))
        } catch {
            let problem = "cannot be read (\(error)): check path and mode"
            throw ProfileFileError(path: url.path, line: nil, field: nil, problem: problem)
        }
        return try YAMLFile(path: url.path).root(data, ifEmpty: "is empty: write a profile")
    }

    private func sites(_ node: ProfileNode) throws(ProfileFileError) -> SiteList {
        var lines: [String] = []
        let elements = try node.sequence()
        for element in elements {
            let rule = try element.text()
            guard !rule.contains(where: \.isNewline) else {
                throw element.error("the rule has a line break: remove it")
            }
            lines.append(rule)
        }
        do throws(SiteListError) {
            return try SiteList(parsing: lines.joined(separator: "\n"), name: url.lastPathComponent)
        } catch {
            guard case .badLines(let problems) = error, let problem = problems.listed.first else {
                throw node.error("\(error)")
            }
            // Line n of the list is element n - 1 of the sequence.
            throw elements[problem.line - 1].error("\(problem.reason)")
        }
    }
}

/// The lines of the file that an error of the compiled profile names.
private struct ProfilePlaces {
    let root: ProfileNode
    let pins: [ProfileNode]
    /// The accounts that are kept, then the identities.
    var owners: [(name: String, node: ProfileNode)] = []

    func place(of error: ProfileError) -> ProfileNode {
        let owner = error.owner.flatMap { name in owners.last { $0.name == name } }?.node
        let entry = error.pinEntry.flatMap { pins.indices.contains($0) ? pins[$0] : nil }
        return owner ?? entry ?? root
    }
}

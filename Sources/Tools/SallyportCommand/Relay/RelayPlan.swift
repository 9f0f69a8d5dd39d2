internal import AllowedSites
internal import CredentialSources
internal import CredentialStores
internal import Foundation
internal import Hostnames
internal import ProfileFiles
internal import Sallyport
internal import SallyportNIO
internal import SallyportRelay

/// What the arguments of a relay make: its profile, its store, and who is asked for passwords.
struct RelayPlan: Sendable {
    let parent: Origin
    let authenticator: Authenticator
    let settings: RelaySettings
    private let profile: URL?

    /// Reads the profile and opens the store, which may ask for its passphrase. Blocks the calling thread.
    init(_ options: RelayOptions, _ store: StoreOptions) throws {
        parent = try options.origin()
        profile = options.profile.map { ArgumentPath.url($0) }
        var settings = RelaySettings(parent: parent)
        settings.listeners = try options.listeners()
        self.settings = settings
        let compiled = try Self.compile(profile, parent)
        let handler = ChallengeHandler(compiled)
        let opened = try Self.needsStore(options, store, handler, parent) ? store.openOrMake {} : nil
        for made in opened?.made ?? [] { StandardError.write("made \(made)\n") }
        var asking = AuthenticatorOptions()
        asking.allowsCleartext = options.basic
        authenticator = try Authenticator(
            CurrentHandler(handler),
            prompt: TerminalPrompt(keep: opened == nil ? .session : .stored),
            store: opened?.store,
            options: asking
        )
    }

    /// The relay, which does not listen yet.
    func relay() throws -> Relay {
        let tls = parent.scheme == .https ? try TLSConnector(authenticator.current) : nil
        return Relay(authenticator, settings, tls: tls)
    }

    /// Reads the profile again. Requests under way end with the old one.
    ///
    /// - Returns: whether there is a profile to read.
    func reload() throws -> Bool {
        guard profile != nil else { return false }
        try authenticator.reload(try Self.compile(profile, parent))
        return true
    }

    /// A store is of use where the profile has no password, and where the arguments name one.
    private static func needsStore(
        _ options: RelayOptions,
        _ store: StoreOptions,
        _ handler: ChallengeHandler,
        _ parent: Origin
    ) -> Bool {
        guard !options.noStore else { return false }
        let space = ProtectionSpace(origin: parent, kind: .http(schemes: [], party: .proxy))
        return store.isNamed || handler.account(for: space) == nil
    }

    private static func compile(_ profile: URL?, _ parent: Origin) throws -> CompiledProfile {
        // A password that was changed elsewhere then costs two bad log-ons, whatever the number of clients.
        var lockout = LockoutRules()
        lockout.isOneAtATime = true
        if let profile {
            return try ProfileReader.compile(profile, at: Clock.now, lockout: lockout) {
                StandardError.write("sallyport relay: \("\($0)".inOneLine)\n")
            }
        }
        let own = SecurityProfile(
            sites: try SiteList(parsing: "\(parent)", name: "--parent"),
            // Digest of a proxy that offers both sends the password in no form; NTLM keeps its connection, and so costs less.
            schemes: [.ntlm, .negotiate, .digest, .basic],
            lockout: lockout
        )
        return try CompiledProfile(own, at: Clock.now)
    }
}

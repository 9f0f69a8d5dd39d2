internal import AllowedSites
package import Credentials
package import HTTPAuthentication
package import Hostnames
package import LiveServers
internal import NIOCore
package import SPKIPins
package import Sallyport
package import SallyportClient
internal import Secrets

/// Profiles for tests: accounts at origins.
package enum MatrixProfile {
    /// An account and the origins where it answers.
    package struct User {
        let name: String
        let password: String
        let domain: String?
        let sites: [Origin]

        package init(
            name: String = "jdoe",
            password: String = GuardedServer.password,
            domain: String? = nil,
            sites: [Origin]
        ) {
            (self.name, self.password, self.domain, self.sites) = (name, password, domain, sites)
        }
    }

    package static func current(
        _ users: [User],
        _ schemes: [AuthenticationScheme],
        pins: [PinPolicy.Entry] = [],
        identity: ClientIdentity? = nil,
        at sites: [Origin] = [],
        clock: ManualClock? = nil,
        observer: EventObserver? = nil
    ) throws -> CurrentHandler {
        let rules = (users.flatMap(\.sites) + sites).map { "\($0)" }
        let profile = SecurityProfile(
            sites: try SiteList(parsing: rules.joined(separator: "\n"), name: "test"),
            schemes: schemes,
            accounts: users.map { user in
                let password = SharedSecret(utf8: user.password)
                let account = Account(name: user.name, user: user.name, domain: user.domain, password: password)
                return .init(account, sites: user.sites.map { "\($0)" }, allowsCleartext: true)
            },
            identities: identity.map { [.init($0, sites: sites.map { "\($0)" })] } ?? [],
            pins: pins
        )
        return CurrentHandler(ChallengeHandler(try CompiledProfile(profile, at: 0), clock: clock, observer: observer))
    }

    /// `jdoe` for `server`.
    package static func user(of server: GuardedServer, password: String = GuardedServer.password) throws -> User {
        let domain = server.kind.scheme == .ntlm ? ServerScript.domain : nil
        return User(password: password, domain: domain, sites: [try server.address()])
    }
}

extension GuardedServer {
    /// Settings that lead to the server, and the origin of its pages.
    package func route() throws -> (settings: ClientSettings, origin: Origin) {
        var settings = ClientSettings.patient
        let address = try address()
        guard isProxy else { return (settings, address) }
        // Squid does not answer the expectation; it has accepted the client before such a body comes.
        settings.continueLimit = .seconds(1)
        settings.proxy = { _ in address }
        return (settings, try openOrigin)
    }
}

public import Hostnames
public import NIOCore
public import NIOPosix
public import Sallyport
public import SallyportNIO

/// Tries one request through the first parent, step by step, and says at which step it fails and why.
///
/// The last steps go through a relay of their own, so they do what a relay does: a wrong password costs one bad log-on, and a
/// missing one is asked for.
public struct RelayCheck: Sendable {
    /// What is tried, in this order.
    public enum Step: String, Sendable, CaseIterable {
        /// The name of the parent has an address.
        case resolve
        /// The parent takes a connection.
        case connect
        /// The certificate of a parent over TLS is valid.
        case tls
        /// The parent answers as a proxy, and offers schemes.
        case offers
        /// There is an account for the parent.
        case account
        /// The parent lets the account pass.
        case logOn = "log-on"
        /// The request may go to its server, and reaches it.
        case request
    }

    /// The result of a step.
    public struct Finding: Sendable {
        /// The step.
        public let step: Step
        /// Whether it succeeded.
        public let isGood: Bool
        /// What was found; for a failure the problem and the remedy.
        public let text: String
    }

    let authenticator: Authenticator
    let settings: RelaySettings
    let tls: TLSConnector
    let group: any EventLoopGroup

    /// How long the check waits for a person, who is at the terminal of the check itself. The prompt's own limit is shorter, and says why.
    private static let asking = TimeAmount.minutes(6)

    /// Makes a check of the first parent of `settings`, which name one at least.
    ///
    /// - Parameters:
    ///   - authenticator: has the accounts, or asks for them.
    ///   - settings: the parent and the bounds; the addresses to listen on are not used.
    ///   - tls: TLS for a parent and a server whose scheme is https; `nil` for the roots of the system and the pins of the profile.
    ///   - group: where connections run.
    public init(
        _ authenticator: Authenticator,
        _ settings: RelaySettings,
        tls: TLSConnector? = nil,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        (self.authenticator, self.group) = (authenticator, group)
        self.tls = tls ?? TLSConnector(authenticator.current)
        var settings = settings
        settings.listeners = [.anyPort]
        // The check is a client of its own, and replaces no server.
        (settings.mappings, settings.clientAccounts, settings.identities) = ([], nil, [])
        (settings.tunnels, settings.socksListeners) = ([], [])
        (settings.chooser, settings.sockets) = (nil, [])
        // It is about the parent.
        settings.fallsBackToDirect = false
        settings.limits.grace = .zero
        settings.limits.asking = max(settings.limits.asking, Self.asking)
        self.settings = settings
    }

    /// Tries a request for `url`.
    ///
    /// - Parameters:
    ///   - origin: the server.
    ///   - path: path and query.
    ///   - report: gets each finding at once. Steps that do not apply are left out, and a failure is the last one.
    /// - Returns: whether every step succeeded.
    public func run(_ origin: Origin, path: String = "/", report: (Finding) throws -> Void) async throws -> Bool {
        var run = Run(check: self, origin: origin, path: path)
        for step in Step.allCases {
            let result: Result<String?, any Error>
            do { result = .success(try await run.perform(step)) } catch { result = .failure(error) }
            switch result {
            case .success(nil): continue
            case .success(let text?): try report(Finding(step: step, isGood: true, text: text))
            case .failure(let error):
                await run.close()
                try report(Finding(step: step, isGood: false, text: ConnectReason.text(error)))
                return false
            }
        }
        await run.close()
        return true
    }
}

internal import HTTPAuthentication
internal import HTTPTypes
public import Hostnames
public import NIOCore
public import NIOPosix
public import Sallyport
public import SallyportNIO
internal import WireFormat

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
        /// The request reaches its server.
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

    private let authenticator: Authenticator
    private let settings: RelaySettings
    private let tls: TLSConnector
    private let group: any EventLoopGroup

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
        // The check is a client of its own, and stands for no server.
        (settings.mappings, settings.clientAccounts, settings.identities) = ([], nil, [])
        (settings.chooser, settings.sockets) = (nil, [])
        settings.limits.grace = .zero
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
            do { result = .success(try await run.take(step)) } catch { result = .failure(error) }
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

    /// Why a step fails.
    private struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// What one run has found so far.
    private struct Run {
        let check: RelayCheck
        let origin: Origin
        let path: String
        private var addresses: [SocketAddress] = []
        private var connection: CheckConnection?
        private var asks = false
        /// Whether the profile brings the account for the parent, so that its password is not in the store.
        private var isOfProfile = false
        private var relay: Relay?
        private var response: CheckResponse?

        init(check: RelayCheck, origin: Origin, path: String) {
            (self.check, self.origin, self.path) = (check, origin, path)
        }

        private var proxy: RelayParent { check.settings.parents[0] }
        private var parent: Origin { proxy.origin }
        private var limit: TimeAmount { check.settings.limits.connecting }
        private var isTunnel: Bool { origin.scheme == .https }

        /// What the step found; `nil` if it does not apply.
        mutating func take(_ step: Step) async throws -> String? {
            switch step {
            case .resolve: try await resolve()
            case .connect: try await connect()
            case .tls: try await secure()
            case .offers: try await offers()
            case .account: account()
            case .logOn: try await logOn()
            case .request: try await request()
            }
        }

        func close() async {
            await connection?.close()
            await relay?.stop()
        }

        private mutating func resolve() async throws -> String? {
            let host = parent.host.description.trimmingBrackets
            addresses = try await AddressLookup.addresses(of: host, port: parent.port)
            return parent.host.isAddress
                ? nil : "\(host) is \(addresses.compactMap(\.ipAddress).joined(separator: ", "))"
        }

        private mutating func connect() async throws -> String {
            var last: any Error = Failure("\(parent.host): the name has no address: check the name and the resolver")
            for address in addresses {
                let start = NIODeadline.now()
                do {
                    connection = try await CheckConnection.open(to: address, limit: limit, on: check.group)
                    return
                        "\(address.ipAddress ?? ""), port \(parent.port), in \((.now() - start).nanoseconds / 1_000_000) ms"
                } catch {
                    last = error
                }
            }
            throw Failure("\(proxy): \(ConnectReason.text(last)): check host, port and firewall")
        }

        private mutating func secure() async throws -> String? {
            guard parent.scheme == .https, let connection else { return nil }
            try await check.tls.secure(connection.channel, to: parent)
            return "the parent has a valid certificate for \(parent.host)"
        }

        private mutating func offers() async throws -> String? {
            // A SOCKS proxy says what it wants in the log-on.
            guard proxy.kind == .http else {
                await connection?.close()
                return nil
            }
            guard let connection else { throw CheckProblem.closed }
            let first = try await connection.response(to: head(closes: true), method: isTunnel ? .connect : .head)
            await connection.close()
            self.connection = nil
            guard first.status == ParentStatus.challenge else {
                return "the parent asks for no password (status \(first.status))"
            }
            asks = true
            let names = first.challenges.map { $0.prefix { $0 != " " && $0 != "," } }
            guard !names.isEmpty else {
                throw Failure("the parent asks for a password and offers no scheme: correct the proxy")
            }
            let text = names.map { VisibleText.quoted(String($0)) }.joined(separator: ", ")
            if profileAccount == nil, let gap = gap(of: first.challenges) {
                throw Failure("\(text): \(RelayRefusal.unanswerable(gap, .proxy))")
            }
            return text
        }

        /// What the offers lack, if a password is to come from the store or a person.
        private func gap(of challenges: [String]) -> OfferGap? {
            var fields = HTTPFields()
            for value in challenges { fields.append(HTTPField(name: .proxyAuthenticate, value: value)) }
            let route: RequestRoute = isTunnel ? .connect(to: parent) : .forwarded(by: parent)
            return check.authenticator.offerGap(
                by: .proxy,
                of: OutgoingRequest(origin: origin, target: path),
                by: route,
                fields: fields
            )
        }

        private var profileAccount: Account? {
            let space = ProtectionSpace(origin: parent, kind: .http(schemes: [], party: .proxy))
            return check.authenticator.current.handler.account(for: space)
        }

        private mutating func account() -> String? {
            guard asks else { return nil }
            if let account = profileAccount {
                isOfProfile = true
                return account.credential.isTicket
                    ? "a ticket of Kerberos (\(account.user))" : "'\(account.name)' of the profile"
            }
            return "none in the profile: the store is read, or the terminal asked, where there is one"
        }

        private mutating func logOn() async throws -> String? {
            let relay = Relay(check.authenticator, check.settings, tls: check.tls, group: check.group)
            self.relay = relay
            guard let address = try await relay.start().first else { throw CheckProblem.closed }
            let waiting = check.settings.limits.asking + check.settings.limits.waiting
            let connection = try await CheckConnection.open(to: address, limit: waiting, on: check.group)
            self.connection = connection
            let method = isTunnel ? RequestHead.Method.connect : .other
            // The reason of a refusal is in its body.
            let request = head(method: "GET", closes: !isTunnel)
            let response = try await connection.response(to: request, method: method)
            self.response = response
            if let refusal = RelayRefusal.text(ofBody: response.body) {
                // A refusal of a server is the server's; this one is about the account.
                let isOfStore = asks && !isOfProfile
                if isOfStore, refusal.hasPrefix(RelayRefusal.noAccount) {
                    throw Failure("\(RelayRefusal.noAccount): \(remedy)")
                }
                throw Failure(
                    isOfStore && refusal.hasPrefix(RelayRefusal.badPassword) ? "\(refusal); \(remedy)" : refusal
                )
            }
            guard asks else { return nil }
            let bad = await relay.counters().badLogOns
            return bad == 0
                ? "the parent lets the account pass" : "the parent lets the account pass, after \(bad) refused"
        }

        /// How the store gets a password for the parent.
        private var remedy: String {
            "keep a password with sallyport credentials add \(parent) --proxy --user USER, or run at a terminal"
        }

        private mutating func request() async throws -> String {
            guard let connection, let response else { throw CheckProblem.closed }
            guard isTunnel else { return try passed(response) }
            guard response.status == 200 else {
                throw Failure(
                    "\(origin): the parent opens no tunnel (status \(response.status)): ask who runs it whether it may"
                )
            }
            try await check.tls.secure(connection.channel, to: origin)
            return try passed(try await connection.response(to: head(target: path, closes: true), method: .head))
        }

        private func passed(_ response: CheckResponse) throws -> String {
            let text = "\(origin)\(path): status \(response.status)"
            // What a proxy says of a server that it does not reach.
            guard ![502, 503, 504].contains(response.status) else {
                throw Failure("\(text): the server is not reached: check the URL")
            }
            return text
        }

        private func head(method: String = "HEAD", closes: Bool) -> String {
            head(
                target: isTunnel ? "\(origin.host):\(origin.port)" : "\(origin)\(path)",
                isConnect: isTunnel,
                method: method,
                closes: closes
            )
        }

        private func head(target: String, isConnect: Bool = false, method: String = "HEAD", closes: Bool) -> String {
            let host =
                origin.port == origin.scheme.defaultPort && !isConnect
                ? "\(origin.host)" : "\(origin.host):\(origin.port)"
            let close = closes && !isConnect ? "Connection: close\r\n" : ""
            let method = isConnect ? "CONNECT" : method
            return "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nUser-Agent: sallyport-relay-check\r\n\(close)\r\n"
        }
    }
}

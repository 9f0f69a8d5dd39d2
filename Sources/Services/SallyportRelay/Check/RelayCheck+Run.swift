internal import Credentials
internal import HTTP1
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import NIOCore
internal import Sallyport
internal import SallyportNIO
internal import WireFormat

extension RelayCheck {
    /// Why a step fails.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// What one run has found so far.
    struct Run {
        let check: RelayCheck
        let origin: Origin
        let path: String
        private var addresses: [SocketAddress] = []
        private var connection: CheckConnection?
        private var asks = false
        private var relay: Relay?
        private var response: CheckResponse?
        /// The last response of the relay itself.
        private let refusal = LastRefusal()

        init(check: RelayCheck, origin: Origin, path: String) {
            (self.check, self.origin, self.path) = (check, origin, path)
        }

        private var proxy: RelayParent { check.settings.parents[0] }
        private var parent: Origin { proxy.origin }
        private var limit: TimeAmount { check.settings.limits.connecting }
        private var isTunnel: Bool { origin.scheme == .https }

        /// Performs the step, and returns what it found; `nil` if it does not apply.
        mutating func perform(_ step: Step) async throws -> String? {
            switch step {
            case .resolve: try await resolve()
            case .connect: try await connect()
            case .tls: try await secure()
            case .offers: try await offers()
            case .account: accountOfProfile()
            case .logOn: try await logOn()
            case .request: try await request()
            }
        }

        func close() async {
            await connection?.close()
            await relay?.stop()
        }

        private mutating func resolve() async throws -> String? {
            let host = parent.host.withoutBrackets
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
            try await secure(connection, to: parent, also: "")
            return "the parent has a valid certificate for \(parent.host)"
        }

        /// - Parameter also: ends the remedy for a root that is missing.
        private func secure(_ connection: CheckConnection, to party: Origin, also: String) async throws {
            do { try await check.tls.secure(connection.channel, to: party) } catch {
                throw RelayRefusal.rootMissing(error).map { Failure($0 + also) as any Error } ?? error
            }
        }

        private mutating func offers() async throws -> String? {
            // A SOCKS proxy says what it wants in the log-on.
            guard proxy.kind == .http else {
                await connection?.close()
                return nil
            }
            guard let connection else { throw CheckProblem.closed }
            let first: CheckResponse
            do {
                first = try await connection.response(to: head(closes: true), method: isTunnel ? .connect : .head)
            } catch {
                // Where a head has begun, the port speaks HTTP.
                if let defect = error as? ResponseDefect, defect != .statusLine { throw Failure("\(proxy): \(defect)") }
                let reason =
                    error is IOError ? "\(proxy): the connection was lost (\(ConnectReason.text(error)))" : "\(error)"
                throw PlainProxy.remedy(parent).map { Failure("\(reason); \($0)") as any Error } ?? error
            }
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
            if account == nil, let gap = gap(of: first.challenges) {
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

        /// The account in use for the parent.
        private var account: Account? {
            let space = ProtectionSpace(origin: parent, kind: .http(schemes: [], party: .proxy))
            return check.authenticator.current.handler.account(for: space)
        }

        /// Who brought the password of the account; `nil` for the profile.
        private var supplier: CredentialAsk.Source? {
            account.flatMap { check.authenticator.source(ofAccount: $0.name) }
        }

        private func accountOfProfile() -> String? {
            guard asks else { return nil }
            guard let account else {
                let store = check.authenticator.hasStore ? "the store is read, then" : "there is no store;"
                return "none in the profile: \(store) the terminal is asked, where there is one"
            }
            return account.credential.isTicket
                ? "\(account.login) (\(account.user))" : "'\(account.name)' of the profile: \(account.login)"
        }

        private mutating func logOn() async throws -> String? {
            let isOfProfile = account != nil
            let relay = Relay(
                checking: check.authenticator,
                check.settings,
                tls: check.tls,
                group: check.group,
                refused: refusal.note
            )
            self.relay = relay
            guard let address = try await relay.start().first else { throw CheckProblem.closed }
            let waiting = check.settings.limits.asking + check.settings.limits.waiting
            let connection = try await CheckConnection.open(to: address, limit: waiting, on: check.group)
            self.connection = connection
            let method = isTunnel ? RequestHead.Method.connect : .other
            // The reason of a refusal is in its body.
            let request = head(method: "GET", closes: !isTunnel)
            response = try await connection.response(to: request, method: method)
            if let refusal = refusal.value {
                // The next step says what is not about the account.
                guard refusal.isAboutAccount else { return nil }
                switch refusal {
                case .withheld(.noCredential) where !isOfProfile:
                    // There may be a terminal, where a person has typed nothing.
                    throw Failure("parent: it asks for an account, and no password was given: \(remedy)")
                case .withheld(.credentialsRefused), .withheld(.budgetSpent), .withheld(.domainRequired):
                    let whose = account.map { "; it was that of \($0.login), \($0.place(supplier))" } ?? ""
                    throw Failure("\(refusal)\(whose)\(isOfProfile ? "" : "; \(remedy)")")
                default: throw Failure("\(refusal)")
                }
            }
            // Whether a SOCKS proxy has asked is known only where somebody was asked for the password.
            guard asks || proxy.kind == .socks5 && supplier != nil else { return nil }
            let bad = await relay.counters().badLogOns
            let who = account.map { "\($0.login) pass, \($0.place(supplier))" } ?? "the request pass without a password"
            return "the parent lets \(who)\(bad == 0 ? "" : ", after \(bad) refused")"
        }

        /// How the parent gets a password.
        private var remedy: String {
            let keeping = "keep a password with sallyport credentials add \(parent) --proxy --user USER"
            return check.authenticator.hasStore
                ? "\(keeping), or type it at a terminal"
                : "type one at a terminal, or leave out --no-store and \(keeping)"
        }

        private mutating func request() async throws -> String {
            guard let connection, let response else { throw CheckProblem.closed }
            if let refusal = refusal.value { throw Failure("\(refusal)") }
            // The parent may be a relay, too.
            if let refusal = RelayMarker.text(of: response.body) { throw Failure("\(parent): \(refusal)") }
            guard isTunnel else { return try passed(response) }
            guard response.status == 200 else {
                throw Failure(
                    "\(origin): the parent opens no tunnel (status \(response.statusText)): ask who runs it whether it may"
                )
            }
            try await secure(connection, to: origin, also: ", and programs need them, too")
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

import AllowedSites
import CredentialSources
import CredentialStores
import Credentials
import HTTPAuthentication
import Hostnames
import LiveServers
import NIOCore
import NIOPosix
import Sallyport
import SallyportNIO
import SallyportRelay
import Secrets

/// A relay on a port of loopback.
struct TestRelay {
    let relay: Relay
    let port: UInt16

    /// Runs `body` with a relay before `parent`, and stops the relay.
    static func run(
        before parent: Origin,
        and second: Origin? = nil,
        _ handler: ChallengeHandler? = nil,
        authenticator: Authenticator? = nil,
        destinations: DestinationRules = DestinationRules(),
        answersServers: Bool = false,
        limits: RelayLimits = RelayLimits(),
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        _ body: (TestRelay) async throws -> Void
    ) async throws {
        try await run(
            before: [parent, second].compactMap(\.self).map { RelayParent($0) },
            handler,
            authenticator: authenticator,
            destinations: destinations,
            answersServers: answersServers,
            limits: limits,
            group: group,
            body
        )
    }

    /// The same with parents of any kind, or with a chooser.
    static func run(
        before parents: [RelayParent],
        chooser: (any ProxyChooser)? = nil,
        tls: TLSConnector? = nil,
        current: CurrentHandler? = nil,
        _ handler: ChallengeHandler? = nil,
        authenticator: Authenticator? = nil,
        destinations: DestinationRules = DestinationRules(),
        answersServers: Bool = false,
        limits: RelayLimits = RelayLimits(),
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        _ body: (TestRelay) async throws -> Void
    ) async throws {
        var settings = RelaySettings()
        settings.parents = parents
        settings.chooser = chooser
        settings.destinations = destinations
        settings.answersServers = answersServers
        settings.listeners = [try ListenAddress(parsing: "127.0.0.1:0")]
        settings.limits = limits.patient
        settings.limits.grace = .milliseconds(100)
        let current = try current ?? CurrentHandler(try handler ?? noAccounts())
        let relay =
            authenticator.map { Relay($0, settings, tls: tls, group: group) }
            ?? Relay(current, settings, tls: tls, group: group)
        let addresses = try await relay.start()
        do {
            try await body(TestRelay(relay: relay, port: UInt16(addresses.first?.port ?? 0)))
        } catch {
            await relay.stop()
            throw error
        }
        await relay.stop()
    }

    /// Runs `body` with the ports of a relay with these settings, and stops the relay.
    static func run(
        _ settings: RelaySettings,
        _ handler: ChallengeHandler? = nil,
        authenticator: Authenticator? = nil,
        tls: TLSConnector? = nil,
        _ body: (Relay, [UInt16]) async throws -> Void
    ) async throws {
        var settings = settings
        settings.limits = settings.limits.patient
        settings.limits.grace = .milliseconds(100)
        let current = CurrentHandler(try handler ?? noAccounts())
        let relay = authenticator.map { Relay($0, settings, tls: tls) } ?? Relay(current, settings, tls: tls)
        let addresses = try await relay.start()
        do {
            try await body(relay, addresses.map { UInt16($0.port ?? 0) })
        } catch {
            await relay.stop()
            throw error
        }
        await relay.stop()
    }

    /// Servers of this machine are served.
    static func loopback() throws -> DestinationRules {
        var rules = DestinationRules()
        rules.allowed = SiteTrie(compiling: try SiteDialect.noProxy.read("127.0.0.0/8", name: "test").list)
        return rules
    }

    /// - Parameter sites: may receive credentials.
    static func noAccounts(
        sites: String = "",
        schemes: [AuthenticationScheme] = [.basic],
        lockout: LockoutRules = LockoutRules()
    ) throws -> ChallengeHandler {
        let sites = try SiteList(parsing: sites, name: "none")
        return try ChallengeHandler(profile: SecurityProfile(sites: sites, schemes: schemes, lockout: lockout), at: 0)
    }

    /// Asks a person or a store for the account of `parent`.
    static func authenticator(
        _ parent: String,
        _ prompt: (any CredentialSource)?,
        store: (any CredentialStore)? = nil,
        schemes: [AuthenticationScheme] = [.basic],
        isOneAtATime: Bool = true
    ) throws -> Authenticator {
        var rules = LockoutRules()
        rules.isOneAtATime = isOneAtATime
        var options = AuthenticatorOptions()
        options.allowsCleartext = true
        let handler = try noAccounts(sites: parent, schemes: schemes, lockout: rules)
        return try Authenticator(CurrentHandler(handler), prompt: prompt, store: store, options: options)
    }

    /// A handler with one account for the parent.
    ///
    /// - Parameter clock: that of the lock-out budget; `nil` for the system's.
    static func handler(
        _ parent: Origin,
        _ scheme: AuthenticationScheme,
        user: String = "jdoe",
        domain: String? = nil,
        password: String = "Correct-Horse",
        clock: ManualClock? = nil
    ) throws -> ChallengeHandler {
        let rule = parent.description
        let account = Account(name: "account", user: user, domain: domain, password: SharedSecret(utf8: password))
        let profile = SecurityProfile(
            sites: try SiteList(parsing: rule, name: "test"),
            schemes: [scheme],
            accounts: [.init(account, sites: [rule], allowsCleartext: scheme == .basic)]
        )
        return ChallengeHandler(try CompiledProfile(profile, at: 0), clock: clock)
    }

    func connect() throws -> RelayClient { try RelayClient(port: port) }
}

extension RelayLimits {
    /// These limits with an hour for each that a test has left as it is: a machine that has much to do reaches those of seconds.
    var patient: RelayLimits {
        let usual = RelayLimits()
        var limits = self
        let all: [WritableKeyPath<RelayLimits, TimeAmount>] = [
            \.connecting, \.head, \.tlsHandshake, \.dropping, \.idleClient, \.idleParent, \.handshake, \.waiting,
            \.directory, \.choosing, \.asking,
            \.continuing,
        ]
        for limit in all where self[keyPath: limit] == usual[keyPath: limit] { limits[keyPath: limit] = .patient }
        return limits
    }
}

/// A client of a relay that writes its bytes itself.
final class RelayClient {
    let stream: ByteStream

    init(port: UInt16) throws { stream = try ByteStream(port: port) }

    init(_ stream: ByteStream) { self.stream = stream }

    struct Response: Equatable {
        let status: Int
        /// The lines of the head without the status line.
        let fields: [String]
        let body: String

        func field(_ name: String) -> String? {
            fields.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { String($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) }
        }
    }

    func send(_ text: String) throws { try stream.send(Array(text.utf8)) }

    /// A head with its lines; an interim response has one, too.
    func readHead() throws -> (status: Int, fields: [String]) {
        let lines = String(decoding: try stream.read(upTo: Array("\r\n\r\n".utf8)), as: UTF8.self)
            .split(separator: "\r\n").map(String.init)
        guard let first = lines.first, let status = Int(first.split(separator: " ")[1]) else {
            throw PeerFailure(what: "no status line in \(lines)")
        }
        return (status, Array(lines.dropFirst()))
    }

    /// A response; the body of a chunked one is as it came, with its chunks and trailers.
    func readResponse(toHead: Bool = false, toConnect: Bool = false) throws -> Response {
        let (status, fields) = try readHead()
        let response = Response(status: status, fields: fields, body: "")
        if toHead || toConnect && status == 200 || status == 204 || status == 304 { return response }
        let bytes: [UInt8]
        if response.field("Transfer-Encoding") == "chunked" {
            var text: [UInt8] = []
            while true {
                let line = try stream.readLine()
                text += Array("\(line)\n".utf8)
                guard let size = Int(line.prefix { $0.isHexDigit }, radix: 16) else {
                    throw PeerFailure(what: "no chunk size in \(line.debugDescription)")
                }
                if size == 0 { break }
                text += try stream.read(count: size + 2)
            }
            var last: String
            repeat {
                last = try stream.readLine()
                text += Array("\(last)\n".utf8)
            } while last != "\r"
            bytes = text
        } else if let length = response.field("Content-Length").flatMap({ Int($0) }) {
            bytes = try stream.read(count: length)
        } else {
            bytes = try readToEnd()
        }
        return Response(status: status, fields: fields, body: String(decoding: bytes, as: UTF8.self))
    }

    /// All bytes up to the end of the connection.
    func readToEnd() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let byte = try? stream.read(count: 1) { bytes += byte }
        return bytes
    }

    /// Whether the relay closes without a byte, also if it gets a request.
    func isTurnedAway() -> Bool {
        try? send("GET http://a.example/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        return (try? readToEnd().isEmpty) == true
    }

    func get(_ url: String, _ fields: [String] = []) throws -> Response {
        let lines = ["GET \(url) HTTP/1.1", "Host: ignored"] + fields
        try send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        return try readResponse()
    }
}

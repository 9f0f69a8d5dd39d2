import Credentials
import HTTPAuthentication
import Hostnames
import LiveServers
import NIOCore
import Sallyport
import SallyportNIO
import SallyportRelay
import Secrets
import Testing

/// What drives a request: everything that this package has for it.
enum Host: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case handler, tunnel, client, asyncHTTPClient, urlSession, relay

    var testDescription: String { rawValue }

    func serves(_ route: ConformanceRow.Route) -> Bool {
        switch self {
        case .relay: true
        case .tunnel: route == .tunnel
        default: route != .tunnel
        }
    }

    /// How long a request may take: it hangs then.
    private static let patience = Duration.seconds(300)

    /// Sends the requests of a row to `server`, one after the other, and tells what the caller got.
    func results(of row: ConformanceRow, _ server: RowServer) async throws -> [String] {
        let world = try World(row, server)
        let running: any RunningHost =
            switch self {
            case .handler: BareHost(world)
            case .tunnel: TunnelHost(world)
            case .client: EngineHost(world)
            case .asyncHTTPClient: AsyncHost(world)
            case .urlSession: SessionHost(world)
            case .relay: try await RelayHost(world)
            }
        var results: [String] = []
        for request in row.requests {
            let sending = Task { () -> String in
                do { return try await running.send(request) } catch is FailedRequest { return "failure" }
            }
            if request.leaves {
                await server.hangs()
                sending.cancel()
                _ = await sending.result
                results.append("left")
            } else {
                // A request that hangs is a result like others: the table goes on.
                let timer = Task {
                    try await Task.sleep(for: Self.patience)
                    sending.cancel()
                }
                let result = try await sending.value
                timer.cancel()
                let hasHung = (try? await timer.value) != nil
                results.append(hasHung ? "hangs" : result)
            }
        }
        await running.shutDown()
        return results
    }
}

/// A host in use.
protocol RunningHost: Sendable {
    /// Sends a request. Returns the status and the body, or their length.
    ///
    /// - Throws: ``FailedRequest`` if there is no response to give to the caller.
    func send(_ request: RowRequest) async throws -> String
    func shutDown() async
}

/// The caller got no response.
struct FailedRequest: Error {
    let reason: String
}

/// What all hosts of a row share.
struct World: Sendable {
    let route: ConformanceRow.Route
    /// The server of the row, or the proxy.
    let address: Origin
    let origin: Origin
    let current: CurrentHandler

    init(_ row: ConformanceRow, _ server: RowServer) throws {
        route = row.route
        address = server.origin
        origin =
            switch row.route {
            case .origin: server.origin
            case .proxy: try Origin(parsing: "http://wiki.example")
            case .tunnel: try Origin(parsing: "https://wiki.example")
            }
        let schemes: [AuthenticationScheme] =
            switch row.scheme {
            case "ntlm": [.ntlm]
            case "ntlm or basic": [.ntlm, .basic]
            case "digest": [.digest, .basic]
            default: [.basic]
            }
        let places = Set([address, origin].map { "\($0)" }).sorted()
        let profile = SecurityProfile(
            sites: try SiteList(parsing: places.joined(separator: "\n"), name: "test"),
            schemes: schemes,
            accounts: places.enumerated().map { index, place in
                let password = SharedSecret(utf8: "Correct-Horse")
                let account = Account(name: "account-\(index)", user: "jdoe-\(index)", domain: nil, password: password)
                return .init(account, sites: [place], allowsCleartext: true)
            }
        )
        current = CurrentHandler(try ChallengeHandler(profile: profile, at: 0))
    }

    var settings: ClientSettings {
        var settings = ClientSettings.patient
        let address = address
        if route == .proxy { settings.proxy = { _ in address } }
        return settings
    }

    /// A body of so many bytes.
    static func bytes(_ count: Int) -> ByteBuffer { ByteBuffer(repeating: 0x61, count: count) }

    static func result(_ status: Int, _ body: ByteBuffer) -> String {
        let count = body.readableBytes
        return count > 8 ? "\(status) \(count)" : count == 0 ? "\(status)" : "\(status) \(String(buffer: body))"
    }
}

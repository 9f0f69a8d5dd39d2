import HTTPAuthentication
import Hostnames
import LiveServers
import MatrixClients
import NIOCore
import Sallyport
import SallyportClient
import TestLimits
import Testing

/// What drives a request: everything that this package has for it.
enum Host: String, CaseIterable, Sendable, CustomTestStringConvertible {
    // The clients have the names of MatrixClient.
    case handler, tunnel, authenticatedClient, asyncHTTPClient, urlSession, relay

    var testDescription: String { rawValue }

    func serves(_ route: ConformanceRow.Route) -> Bool {
        switch self {
        case .relay: true
        case .tunnel: route == .tunnel
        default: route != .tunnel
        }
    }

    /// Sends requests, all at once if they are several, and returns a reply to each.
    typealias Send = @Sendable ([MatrixRequest]) async throws -> [MatrixReply]

    /// Runs `body` with what sends a request through this host.
    private func run(_ world: World, _ body: (@escaping Send) async throws -> Void) async throws {
        if let client = MatrixClient(rawValue: rawValue) {
            return try await client.run(world.current, world.settings, asking: world.authenticator) { running in
                try await body { [try await running.send(try #require($0.only))] }
            }
        }
        switch self {
        case .tunnel:
            let host = TunnelHost(world)
            try await body { _ in [try await host.open()] }
        case .relay: try await RelayHost.run(world) { client in try await body(client.send) }
        default:
            let host = HandlerHost(world)
            try await body(host.send)
            await host.shutDown()
        }
    }

    /// Sends the requests of a row to `server`, one after the other where they are not piped, and tells what the caller got.
    func results(of row: ConformanceRow, _ server: RowServer) async throws -> [String] {
        let world = try World(row, server)
        var results: [String] = []
        try await run(world) { send in
            var held: Task<[MatrixReply], any Error>?
            var piped: [MatrixRequest] = []
            for request in row.requests {
                piped.append(request.sent(to: world.origin))
                guard request.course != .piped else { continue }
                let sent = piped
                piped = []
                let sending = Task { try await send(sent) }
                switch request.course {
                case .alone, .piped: break
                case .leaves:
                    await server.hangs(during: sending)
                    sending.cancel()
                case .held:
                    await server.hangs(during: sending)
                    held = sending
                    continue
                case .waits:
                    try await eventually("the request waits") { world.events.codes.contains("waiting") }
                    try await server.release()
                }
                if let held = held.take() { results += Self.texts(await held.result) }
                results += Self.texts(await sending.result, leaves: request.course == .leaves)
            }
        }
        return results
    }

    private static func texts(_ result: Result<[MatrixReply], any Error>, leaves: Bool = false) -> [String] {
        switch result {
        case .success(let replies):
            replies.map { reply in
                let count = reply.text.utf8.count
                return "\(reply.status)" + (count == 0 ? "" : count > 8 ? " \(count)" : " \(reply.text)")
            }
        case .failure: [leaves ? "left" : "failure"]
        }
    }
}

/// A host asked for one connection after the other.
struct TooManyConnections: Error {}

/// What all hosts of a row share.
struct World: Sendable {
    /// How many connections a host may need for one request.
    static let mostConnections = 5

    let route: ConformanceRow.Route
    /// The server of the row, or the proxy.
    let address: Origin
    let origin: Origin
    let current: CurrentHandler
    /// How long a host waits for what may never come.
    let time: TimeAmount
    let events = EventRecorder()
    /// Brings the tokens of a row with `bearer`; `nil` for another row.
    let authenticator: Authenticator?

    init(_ row: ConformanceRow, _ server: RowServer) throws {
        route = row.route
        time = row.isTimed ? .seconds(2) : .patient
        address = server.origin
        origin =
            switch row.route {
            case .origin: server.origin
            case .proxy: try Origin(parsing: "http://wiki.example")
            case .tunnel: try Origin(parsing: "https://wiki.example")
            }
        // An account each: one password may be right for the proxy alone.
        let needsTokens = row.schemes.contains(.bearer)
        let users =
            needsTokens
            ? []
            : Set([address, origin]).enumerated().map { index, place in
                MatrixProfile.User(name: "jdoe-\(index)", sites: [place])
            }
        // Digest goes out in advance for 100 ms after a success, which a busy machine exceeds between two requests.
        current = try MatrixProfile.current(
            users,
            row.schemes,
            at: [origin],
            clock: row.schemes.contains(.digest) ? ManualClock() : nil,
            observer: events.observer
        )
        var place = AccountPlace(name: "wiki", sites: ["\(origin)"])
        (place.tokens, place.sendsTokenFirst, place.allowsCleartext) = (NumberedTokens(), true, true)
        let options = AuthenticatorOptions(places: [place])
        authenticator = needsTokens ? try Authenticator(current, options: options) : nil
    }

    var settings: ClientSettings {
        var settings = ClientSettings.patient
        (settings.drainLimit, settings.continueLimit) = (time, time)
        let address = address
        if route == .proxy { settings.proxy = { _ in address } }
        return settings
    }
}

extension Array {
    /// The element of an array of one.
    fileprivate var only: Element? { count == 1 ? first : nil }
}

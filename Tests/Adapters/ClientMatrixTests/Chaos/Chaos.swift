import LiveServers
import MatrixClients
import NIOCore
import Sallyport
import SallyportClient
import Testing

/// How a request ends.
enum Ending: Sendable {
    case status(Int)
    case error(any Error)

    var status: Int? { if case .status(let status) = self { status } else { nil } }

    /// The error, if it has this type.
    func error<Failure: Error & Equatable>(_: Failure.Type) -> Failure? {
        if case .error(let error) = self { error as? Failure } else { nil }
    }
}

enum Chaos {
    /// Sends requests one after the other, shuts the client down, and waits until no connection is left.
    static func endings(
        _ client: MatrixClient,
        _ server: ScriptedServer,
        _ schemes: [AuthenticationScheme] = [.ntlm, .digest, .basic],
        _ settings: ClientSettings = ClientSettings.patient,
        requests: Int = 1,
        limit: TimeAmount = .hours(1)
    ) async throws -> [Ending] {
        let user = MatrixProfile.User(domain: schemes.contains(.ntlm) ? "ACME" : nil, sites: [server.origin])
        let current = try MatrixProfile.current([user], schemes)
        var endings: [Ending] = []
        try await client.run(current, settings) { running in
            for _ in 0..<requests {
                endings.append(await ending(running, MatrixRequest(origin: server.origin, limit: limit)))
            }
        }
        try await expectClosed(server)
        return endings
    }

    static func ending(_ client: any RunningClient, _ request: MatrixRequest) async -> Ending {
        do { return .status(try await client.send(request).status) } catch { return .error(error) }
    }

    /// Each connection is closed soon.
    static func expectClosed(_ server: ScriptedServer) async throws {
        try await eventually("\(server.connections - server.closed) more connections are closed") {
            server.closed == server.connections
        }
    }
}

package import ClientCertificates
package import LiveServers
internal import NIOCore
package import NIOSSL
package import Sallyport
package import SallyportClient
internal import SallyportNIO
internal import Testing

/// The clients of the adapters, so that one test is run with each.
package enum MatrixClient: String, CaseIterable, CustomTestStringConvertible {
    case authenticatedClient, asyncHTTPClient, urlSession

    package var testDescription: String { rawValue }

    /// Runs `body` with a client that has no connections yet, and shuts it down.
    ///
    /// - Parameters:
    ///   - authenticator: brings credentials that the profile does not have; `nil` for none.
    ///   - root: the authority of https servers; `nil` for http only.
    package func run(
        _ current: CurrentHandler,
        _ settings: ClientSettings = ClientSettings.patient,
        asking authenticator: Authenticator? = nil,
        trusting root: TestAuthority? = nil,
        identityKeys: [String: NIOSSLPrivateKeySource] = [:],
        identities: [SecurityProfile.Assignment<KeyedIdentity>] = [],
        _ body: (any RunningClient) async throws -> Void
    ) async throws {
        var connector: TLSConnector?
        if let root {
            var tls = TLSSettings.patient
            tls.roots = .certificates([try root.own.der])
            tls.identityKeys = identityKeys
            connector =
                identities.isEmpty
                ? try TLSConnector(tls, current) : try TLSConnector(current, identities: identities, settings: tls)
        }
        let client: any RunningClient =
            switch self {
            case .authenticatedClient: EngineClient(current, authenticator, settings, connector)
            case .asyncHTTPClient: try AsyncClient(current, authenticator, settings, connector, trusting: root)
            case .urlSession: SessionClient(current, authenticator, settings, connector)
            }
        do { try await body(client) } catch {
            try? await client.shutDown()
            throw error
        }
        try await client.shutDown()
    }
}

/// A client in use.
package protocol RunningClient: Sendable {
    /// Sends a request, and reads the whole response.
    func send(_ request: MatrixRequest) async throws -> MatrixReply
    /// Closes the connections that Sallyport has opened and no request uses.
    func closeIdleConnections()
    func shutDown() async throws
}

internal import ChallengeHandling
public import OAuth

/// An OAuth service as one client uses it.
public struct OAuthService: Sendable {
    /// The application and its token endpoint.
    public var client: OAuthClient
    /// Where tokens are taken back; `nil` if the service has no such endpoint.
    public var revocationEndpoint: ServiceURL?

    /// Makes a description.
    public init(client: OAuthClient, revocationEndpoint: ServiceURL? = nil) {
        (self.client, self.revocationEndpoint) = (client, revocationEndpoint)
    }
}

/// Finds the endpoints of OAuth services by what they say of themselves.
///
/// ```swift
/// let discovery = ServiceDiscovery { try await service.send($0) }
/// let metadata = try await discovery.metadata(of: ServiceURL("https://login.acme.example"))
/// ```
public struct ServiceDiscovery: Sendable {
    private let send: OAuthTokenSource.Sender

    /// Sends requests with `send`.
    public init(send: @escaping OAuthTokenSource.Sender) { self.send = send }

    /// What a service says of itself, in the document of RFC 8414 or of OpenID Connect Discovery.
    ///
    /// Services that have none in a place answer with an error of any status, a redirect, or a page of their own with status 200. All
    /// places are asked before the search fails; it then says of a service that is down that it is down, and not that it has no document.
    ///
    /// - Throws: `TokenServiceError`, also for the document of another service, or what the sender throws.
    public func metadata(of issuer: ServiceURL) async throws -> ServerMetadata {
        var failure: TokenServiceError?
        for request in ServerMetadata.requests(for: issuer) {
            let response = try await send(request)
            do throws(TokenServiceError) {
                return try ServerMetadata(response, for: issuer)
            } catch {
                // A document of another service is an error, wherever it stands.
                if case .unusable = error, response.status < 500 { throw error }
                if case .status(500...) = failure { continue }
                failure = error
            }
        }
        throw failure ?? .missing("issuer")
    }

    /// The service whose tokens a resource takes, by the resource's own document (RFC 9728).
    ///
    /// The document is the resource's word. A client with a secret names its service itself, because a false resource could lead the secret
    /// to a false service.
    ///
    /// - Throws: ``DiscoveryError`` if the document names no service or several, `TokenServiceError`, or what the sender throws.
    public func issuer(of resource: ServiceURL) async throws -> ServiceURL {
        let document = try ResourceMetadata(try await send(ResourceMetadata.request(for: resource)), for: resource)
        guard let issuer = document.servers.first else { throw DiscoveryError.noService(resource) }
        guard document.servers.count == 1 else { throw DiscoveryError.severalServices(document.servers) }
        return issuer
    }
}

/// Why the service of a resource is not known.
public enum DiscoveryError: Error, Equatable, Sendable {
    /// The resource names no service.
    case noService(ServiceURL)
    /// The resource names several services.
    case severalServices([ServiceURL])
}

extension DiscoveryError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .noService(let resource): "\(resource): the resource names no token service: name its issuer"
        case .severalServices(let services):
            "the resource names several token services: name one of \(services.map(\.description).joined(separator: ", "))"
        }
    }
}

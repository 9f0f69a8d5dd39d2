internal import Foundation
internal import HTTPTypes
internal import Sallyport

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A protection space of a URL loading system in our terms.
struct ChallengedSpace {
    enum Method {
        case http(AuthenticationScheme)
        case clientCertificate
        case serverTrust
    }

    /// The server, or the proxy itself.
    let origin: Origin
    let party: ChallengedParty
    let method: Method

    init(_ space: URLProtectionSpace) throws(SessionObstacle) {
        method = try Self.method(space.authenticationMethod)
        party = space.isProxy() ? .proxy : .origin
        origin = try Self.origin(space)
    }

    // Linux Foundation declares the last two constants as unavailable, and has the same values for the others.
    private static func method(_ name: String) throws(SessionObstacle) -> Method {
        switch name {
        case "NSURLAuthenticationMethodHTTPBasic": .http(.basic)
        case "NSURLAuthenticationMethodHTTPDigest": .http(.digest)
        case "NSURLAuthenticationMethodNTLM": .http(.ntlm)
        case "NSURLAuthenticationMethodNegotiate": .http(.negotiate)
        case "NSURLAuthenticationMethodClientCertificate": .clientCertificate
        case "NSURLAuthenticationMethodServerTrust": .serverTrust
        default: throw .unsupportedMethod(name)
        }
    }

    private static func origin(_ space: URLProtectionSpace) throws(SessionObstacle) -> Origin {
        // Clients speak plain HTTP with both kinds of proxy; the kind says what is fetched through it.
        let scheme: Scheme? =
            if space.isProxy() {
                space.proxyType == "http" || space.proxyType == "https" ? .http : nil
            } else {
                space.`protocol`.flatMap { Scheme(rawValue: $0.lowercased()) }
            }
        guard let scheme else { throw .unreadableSpace(host: space.host) }
        let host = space.host.contains(":") && !space.host.hasPrefix("[") ? "[\(space.host)]" : space.host
        let authority = space.port == 0 ? host : "\(host):\(space.port)"
        do throws(OriginError) {
            return try Origin(scheme: scheme, authority: authority)
        } catch {
            throw .unreadableSpace(host: space.host)
        }
    }

    /// The request that was challenged, as far as its response tells.
    ///
    /// - Returns: the request, and the fields of the response.
    func request(_ response: URLResponse?) throws(SessionObstacle) -> (ChallengedRequest, HTTPFields) {
        guard let response = response as? HTTPURLResponse, response.statusCode == party.status,
            let url = response.url, let location = try? URLLocation(parsing: url.absoluteString)
        else { throw .responseMissing(host: origin.host.description) }
        var fields: HTTPFields = [:]
        for (name, value) in response.allHeaderFields {
            if let name = HTTPField.Name("\(name)") { fields.append(HTTPField(name: name, value: "\(value)")) }
        }
        if party == .proxy {
            let target = "\(location.origin.host):\(location.origin.port)"
            return (ChallengedRequest(proxy: origin, method: "CONNECT", target: target), fields)
        }
        guard location.origin == origin else { throw .responseMissing(host: origin.host.description) }
        return (ChallengedRequest(origin: origin, method: "GET", target: location.path), fields)
    }
}

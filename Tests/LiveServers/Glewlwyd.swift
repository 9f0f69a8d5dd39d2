internal import Foundation

/// Glewlwyd, a whole OpenID Connect service, which a script in `Tests/Servers` starts.
///
/// `@unchecked Sendable` is safe, because the tests that share it run one after the other.
package final class Glewlwyd: @unchecked Sendable {
    /// One of its services.
    package enum Service: String {
        case plain
        /// Takes pushed authorizations alone.
        case pushed
        /// Demands its nonce in proofs of possession.
        case nonces
    }

    /// Where its codes go.
    package let redirect: String
    private let port: UInt16
    private let process: HelperProcess

    package init() throws {
        port = try ServerPort.take()
        redirect = "http://127.0.0.1:\(try ServerPort.take())/callback"
        process = try HelperProcess(server: "glewlwyd", ["\(port)", redirect])
    }

    /// The issuer of a service, without a slash at the end.
    package func url(_ service: Service) -> String { "http://127.0.0.1:\(port)/api/\(service)" }

    /// The file with the private key of the client "machine".
    package func key() throws -> String { try process.ask("key") }

    /// Signs in as jdoe, and follows redirects; returns the last status and URL.
    package func browse(_ url: String) throws -> String { try process.ask("browse \(url)") }

    /// Types the code of a device; returns the last status and what the page says.
    package func type(_ code: String) throws -> String { try process.ask("type \(code)") }

    /// Takes an access token back.
    package func revoke(_ token: String, at service: Service) throws { _ = try answer("revoke", token, service) }

    /// What the service says of an access token (RFC 7662).
    package func introspection(of token: String, at service: Service) throws -> [String: Any] {
        try answer("introspect", token, service)
    }

    /// The claims of an access token that the service has signed.
    package func claims(of token: String, at service: Service) throws -> [String: Any] {
        try answer("claims", token, service)
    }

    private func answer(_ word: String, _ token: String, _ service: Service) throws -> [String: Any] {
        let line = try process.ask("\(word) \(service) \(token)")
        guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
            throw PeerFailure(what: "\(word): \(line)")
        }
        return object
    }
}

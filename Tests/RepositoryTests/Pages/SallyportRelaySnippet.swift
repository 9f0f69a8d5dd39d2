import NIOCore
import Sallyport
import SallyportRelay

/// The snippet of SallyportRelay.md.
enum SallyportRelaySnippet {
    static func relay(to parent: String, _ authenticator: Authenticator) async throws -> (Relay, [SocketAddress]) {
        let settings = try RelaySettings(parents: Origin(parsing: parent))  // such as http://proxy.corp.example:8080
        let relay = Relay(authenticator, settings)
        let addresses = try await relay.start()
        return (relay, addresses)
    }
}

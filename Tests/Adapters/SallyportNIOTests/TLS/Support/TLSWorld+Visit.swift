import Hostnames
import LiveServers

extension TLSWorld {
    /// Writes a request for the wiki to `server`.
    func visit(_ server: TLSTestServer, _ origin: String = "https://wiki.example") async throws -> Exchange {
        try await TLSTestClient.exchange(connector(), Origin(parsing: origin), port: server.port)
    }
}

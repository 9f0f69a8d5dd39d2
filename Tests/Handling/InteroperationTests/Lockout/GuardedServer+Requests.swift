import Hostnames
import LiveServers

extension GuardedServer {
    /// A request for the page with a number that every user may see.
    func request(_ number: Int, host: String = "localhost") throws -> LiveRequest {
        try request(to: page(number), host: host)
    }

    /// A request for the page that only `ada` may see.
    func forbiddenRequest() throws -> LiveRequest { try request(to: forbiddenPage) }

    /// A tunnel through a proxy.
    func tunnel() throws -> LiveRequest { LiveRequest(tunnelTo: try openOrigin, through: try address()) }

    private func request(to path: String, host: String = "localhost") throws -> LiveRequest {
        isProxy
            ? LiveRequest(path, at: try openOrigin, through: try address())
            : LiveRequest(path, at: try address(host: host))
    }
}

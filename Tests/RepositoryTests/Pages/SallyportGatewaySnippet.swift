import ClientAuthentication
import ClientDirectories
import HTTPAuthentication
import Logging
import SallyportGateway

/// The snippet of SallyportGateway.md.
enum SallyportGatewaySnippet {
    static func gateway(_ path: String, _ address: String) async throws -> Gateway {
        let accounts = try AccountsFile(path)
        let offered = ClientAuthenticationOptions(party: .origin, realm: "wiki", schemes: accounts.schemes)
        let gateway = Gateway(
            ClientAuthenticator(offered, directory: accounts),
            at: try GatewayAddress(parsing: address),  // such as unix:/run/sallyport/gateway.sock
            behind: .nginx,
            logger: Logger(label: "gateway")
        )
        try await gateway.start()
        return gateway
    }
}

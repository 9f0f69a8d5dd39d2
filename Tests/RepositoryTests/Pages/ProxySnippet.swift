import ClientAuthentication
import HTTPAuthentication
import NIOCore
import NIOHTTP1
import NIOPosix
import SallyportNIO
import Secrets

/// The snippet of SallyportNIO.md about servers.
enum ProxySnippet {
    static func bootstrap(
        _ group: any EventLoopGroup,
        _ password: SharedSecret
    ) -> ServerBootstrap {
        let directory = FixedDirectory([ClientName(user: "jdoe", domain: "ACME"): .password(password)])
        let options = ClientAuthenticationOptions(party: .proxy, realm: "proxy")  // .origin for a server
        let authenticator = ClientAuthenticator(options, directory: directory)  // one for all channels
        let bootstrap = ServerBootstrap(group: group).childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.configureHTTPServerPipeline()
                try pipeline.addServerAuthentication(AuthenticationServerHandler(authenticator))
                try pipeline.addHandler(Application())  // gets AuthenticationServerEvent.accepted before each head
            }
        }
        return bootstrap
    }
}

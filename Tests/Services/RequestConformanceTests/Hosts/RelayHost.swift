import AllowedSites
import Hostnames
import LiveServers
import NIOCore
import SallyportRelay

/// A relay that also answers the challenges of servers.
enum RelayHost {
    /// Runs `body` with a client of a relay.
    static func run(_ world: World, _ body: (HandlerHost) async throws -> Void) async throws {
        var settings = RelaySettings()
        if world.route == .origin {
            settings.chooser = NoProxy()
            settings.destinations.allowed = SiteTrie(
                compiling: try SiteDialect.noProxy.read("127.0.0.0/8", name: "test").list
            )
        } else {
            settings.parents = [RelayParent(world.address)]
        }
        settings.answersServers = true
        settings.listeners = [try ListenAddress(parsing: "127.0.0.1:0")]
        let limits: [WritableKeyPath<RelayLimits, TimeAmount>] = [
            \.connecting, \.head, \.waiting, \.idleParent,
        ]
        for limit in limits { settings.limits[keyPath: limit] = .patient }
        (settings.limits.handshake, settings.limits.continuing) = (world.time, world.time)
        settings.limits.grace = .milliseconds(100)
        let relay = world.authenticator.map { Relay($0, settings) } ?? Relay(world.current, settings)
        let addresses = try await relay.start()
        let client = HandlerHost(world, relay: addresses.first?.port)
        do { try await body(client) } catch {
            await relay.stop()
            throw error
        }
        await client.shutDown()
        await relay.stop()
    }
}

/// Chooses no proxy for any request.
private struct NoProxy: ProxyChooser {
    func known(for server: Origin) -> [RelayRoute]? { [.direct] }
    func choices(for server: Origin) async throws -> [RelayRoute] { [.direct] }
}

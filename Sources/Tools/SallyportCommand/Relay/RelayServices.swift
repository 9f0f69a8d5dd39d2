internal import Hostnames
internal import Logging
internal import NIOCore
internal import SallyportRelay
internal import ServiceLifecycle
internal import UnixSignals

/// A relay that says where it listens.
struct AnnouncedRelay: Service {
    let relay: Relay
    let text: RelayAnnouncement

    func run() async throws {
        try StandardOutput.write(text.text(try await relay.start()))
        try await relay.run()
    }
}

/// The first lines of a relay: where it listens, and what to paste.
struct RelayAnnouncement: Sendable {
    let parent: Origin
    let isJSON: Bool

    func text(_ addresses: [SocketAddress]) -> String {
        let places = addresses.map(Self.place)
        if isJSON {
            return JSONValue.object([
                ("listen", .array(places.map(JSONValue.string))), ("parent", .string("\(parent)")),
            ]).text + "\n"
        }
        let url = "http://\(places.first ?? "")"
        return """
            listening on \(places.joined(separator: ", ")), parent \(parent)
            export http_proxy=\(url) https_proxy=\(url)
            export no_proxy=localhost,127.0.0.1,::1

            """
    }

    private static func place(_ address: SocketAddress) -> String {
        let host = address.ipAddress ?? ""
        return "\(host.contains(":") ? "[\(host)]" : host):\(address.port ?? 0)"
    }
}

/// Reads the profile again on SIGHUP. A profile that cannot be read leaves the old one in use.
struct ProfileReloads: Service {
    let hangUps: UnixSignalsSequence
    let plan: RelayPlan
    let relay: Relay
    let logger: Logger

    func run() async throws {
        for await _ in hangUps.cancelOnGracefulShutdown() {
            do {
                guard try plan.reload() else {
                    logger.notice("SIGHUP: there is no profile to read: start the relay with --profile")
                    continue
                }
                // Those in use end with their requests.
                relay.closeIdleConnections()
                logger.notice("SIGHUP: the profile is read again")
            } catch {
                logger.error("SIGHUP: the old profile stays in use: \(error)")
            }
        }
    }
}

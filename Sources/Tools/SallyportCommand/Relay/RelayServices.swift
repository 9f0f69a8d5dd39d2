internal import Logging
internal import NIOCore
internal import OfflineVerbs
internal import Sallyport
internal import SallyportRelay
internal import ServiceLifecycle
internal import ServiceSockets
internal import UnixSignals

/// A relay that says where it listens, and for what it waits at its end.
struct AnnouncedRelay: Service {
    let relay: Relay
    let text: RelayAnnouncement
    let logger: Logger
    /// How long requests and tunnels may go on at the end.
    let grace: TimeAmount

    /// The socket on which systemd waits for notices; `nil` without it.
    let notices: String?

    /// Ends with SIGINT or SIGTERM, and the services beside it end then.
    func run() async throws {
        // Before it says that it runs, because a signal would end the process.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try StandardOutput.write(text.text(try await relay.start()))
        ServiceNotice.ready.send(to: notices)
        let (told, teller) = AsyncStream.makeStream(of: Void.self)
        let listener = Task {
            var isTold = false
            for await _ in signals {
                if isTold { relay.closeAllConnections() }
                isTold = true
                teller.finish()
            }
        }
        defer { listener.cancel() }
        // Ends also when another service has failed.
        for await _ in told {}
        ServiceNotice.stopping.send(to: notices)
        if let waited = Self.waited(await relay.counters()) {
            logger.notice(
                "the relay ends: it waits for \(waited), \(grace.nanoseconds / 1_000_000_000) s at most; Ctrl-C or SIGTERM ends it at once"
            )
        }
        await relay.stop()
    }

    /// `1 tunnel and 2 requests`; `nil` for nothing.
    static func waited(_ counters: RelayCounters) -> String? {
        let parts = [(counters.openTunnels, "tunnel"), (counters.openRequests, "request")].filter { $0.0 > 0 }
        guard !parts.isEmpty else { return nil }
        return parts.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " and ")
    }
}

/// The first lines of a relay: where it listens, and what to paste.
struct RelayAnnouncement: Sendable {
    let parents: [RelayParent]
    /// The PAC file; `nil` without one.
    let pac: String?
    /// What chooses the parents; `nil` for their order.
    let chosenBy: String?
    let mappings: [RelayMapping]
    let tunnels: [RelayTunnel]
    let socksCount: Int
    /// Where the metrics are; `nil` without them.
    let metrics: SocketAddress?
    let isJSON: Bool
    /// Whether clients speak TLS to the first address.
    var isSecure = false

    func text(_ addresses: [SocketAddress]) -> String {
        let count = addresses.count - mappings.count - tunnels.count - socksCount
        let places = addresses.prefix(count).map(Self.place)
        let mapped = zip(addresses.dropFirst(count), mappings).map { address, mapping in
            ("\(mapping.listener.isSecure ? "https" : "http")://\(Self.place(address))", "\(mapping.origin)")
        }
        let carried = zip(addresses.dropFirst(count + mappings.count), tunnels).map { address, tunnel in
            (Self.place(address), "\(tunnel.host):\(tunnel.port)")
        }
        let socks = addresses.suffix(socksCount).map { "socks5h://\(Self.place($0))" }
        let metrics = metrics.map { "http://\(Self.place($0))/metrics" }
        if isJSON {
            return JSONValue.object([
                ("listen", .array(places.map(JSONValue.string))),
                ("parents", .array(parents.map { .string("\($0)") })), ("pac", JSONValue(pac)),
                ("metrics", JSONValue(metrics)),
                (
                    "mappings",
                    .array(mapped.map { .object([("listen", .string($0.0)), ("server", .string($0.1))]) })
                ),
                ("tunnels", .array(carried.map { .object([("listen", .string($0.0)), ("server", .string($0.1))]) })),
                ("socks", .array(socks.map(JSONValue.string))),
            ]).text + "\n"
        }
        let lines =
            (mapped.map { "\($0.0) stands for \($0.1)" } + carried.map { "\($0.0) leads to \($0.1)" }
            + socks.map { "\($0) takes SOCKS 5" } + [metrics.map { "metrics at \($0)" }].compactMap(\.self))
            .map { "\($0)\n" }.joined()
        guard let first = places.first else { return lines }
        let url = "\(isSecure ? "https" : "http")://\(first)"
        let names = parents.map(\.description).joined(separator: ", ")
        let chosen =
            chosenBy.map { "parents by \($0.inOneLine)" } ?? "\(parents.count == 1 ? "parent" : "parents") \(names)"
        return """
            listening on \(places.joined(separator: ", ")), \(chosen)
            export http_proxy=\(url) https_proxy=\(url)
            export no_proxy=localhost,127.0.0.1,::1
            \(lines)
            """
    }

    private static func place(_ address: SocketAddress) -> String {
        let host = address.ipAddress ?? ""
        return "\(host.contains(":") ? "[\(host)]" : host):\(address.port ?? 0)"
    }
}

/// Reads the profile again on SIGHUP. A profile that cannot be read leaves the old one in use. The end of the relay does not wait for it.
struct ProfileReloads: Service {
    let hangUps: UnixSignalsSequence
    let plan: RelayPlan
    let relay: Relay
    let logger: Logger
    let notices: String?

    func run() async throws {
        for await _ in hangUps.cancelOnGracefulShutdown() {
            await cancelWhenGracefulShutdown { await reload() }
        }
    }

    private func reload() async {
        ServiceNotice.reloading.send(to: notices)
        // After a cancellation the relay ends, and has said so.
        defer { if !Task.isCancelled { ServiceNotice.ready.send(to: notices) } }
        do {
            guard try await plan.reload() else {
                logger.notice("SIGHUP: there is no profile to read: start the relay with --profile")
                return
            }
            // Those in use end with their requests.
            relay.closeIdleConnections()
            let news =
                plan.usesTickets
                ? "SIGHUP: files are read again; connections begin anew, with the tickets that are in the cache now"
                : plan.revocation.isEmpty
                    ? "SIGHUP: the profile is read again" : "SIGHUP: files and revocation lists are read again"
            let cards =
                plan.identities.hasCards
                ? "; cards stay as they were opened at the start: restart the relay for a new certificate on one"
                : ""
            logger.notice("\(news)\(cards)")
        } catch {
            guard !Task.isCancelled else { return }
            logger.error("SIGHUP: the old profile stays in use: \(error)")
        }
    }
}

/// Reads the revocation lists of `--crl` again.
struct RevocationRenewals: Service {
    let plan: RelayPlan
    let relay: Relay
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown { [plan, relay, logger] in
            // It ends with its task.
            try? await plan.revocation.renew { problem in
                guard let problem else {
                    // Those in use end with their requests.
                    relay.closeIdleConnections()
                    return logger.notice("the revocation lists are read again")
                }
                logger.error("the old revocation lists stay in use: \(problem)")
            }
        }
    }
}

/// Takes renewed client certificates, and tells of those that end soon.
struct IdentityRenewals: Service {
    let plan: RelayPlan
    let logger: Logger

    func run() async throws {
        try await cancelWhenGracefulShutdown { [plan, logger] in
            try await plan.identities.renew(plan.authenticator) { event in
                switch event {
                case .renewed: logger.notice("\(event)")
                case .expiresSoon: logger.warning("\(event)")
                case .unreadable, .expired: logger.error("\(event)")
                }
            }
        }
    }
}

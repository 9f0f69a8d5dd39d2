internal import OfflineVerbs
internal import SallyportRelay
internal import ServiceLifecycle
internal import WireFormat

/// Shows what a relay does, once a second: one line that is rewritten on a terminal, otherwise one line each time.
struct RelayWatch: Service {
    let relay: Relay
    let isJSON: Bool

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var last = RelayCounters()
            while true {
                do { try await Task.sleep(for: .seconds(1)) } catch { return StandardError.keepLine() }
                let (counters, latencies) = (await relay.counters(), await relay.latencies())
                // A relay that ends counts no more.
                if relay.isListening { show(counters, since: last, latencies) }
                last = counters
            }
        }
    }

    private func show(_ counters: RelayCounters, since last: RelayCounters, _ latencies: RelayLatencies) {
        let rate = counters.requests - last.requests
        if isJSON { return StandardError.write(json(counters, rate, latencies).text + "\n") }
        let times = [50, 99, 99.9].map { Self.time(latencies.microseconds(at: $0)) }
        let line = """
            \(counters.requests.counted("request")), \(rate)/s; \(counters.openTunnels) of \(counters.tunnels.counted("tunnel")) open; \
            \(counters.badLogOns.counted("bad log-on")); \(counters.refusals) refused; \
            p50 \(times[0]), p99 \(times[1]), p99.9 \(times[2])
            """
        if StandardError.isTerminal { StandardError.replaceLine(with: line) } else { StandardError.write(line + "\n") }
    }

    private func json(_ counters: RelayCounters, _ rate: Int, _ latencies: RelayLatencies) -> JSONValue {
        func number(_ value: Int) -> JSONValue { .integer(UInt64(max(0, value))) }
        return .object([
            ("requests", number(counters.requests)), ("perSecond", number(rate)), ("tunnels", number(counters.tunnels)),
            ("openTunnels", number(counters.openTunnels)), ("badLogOns", number(counters.badLogOns)),
            ("refusals", number(counters.refusals)), ("clients", number(counters.clients)),
            ("waitingForPassword", number(counters.waitingForPassword)),
            ("p50Microseconds", .integer(latencies.microseconds(at: 50))),
            ("p99Microseconds", .integer(latencies.microseconds(at: 99))),
            ("p999Microseconds", .integer(latencies.microseconds(at: 99.9))),
        ])
    }

    /// In milliseconds, with one digit after the point.
    private static func time(_ microseconds: UInt64) -> String {
        let tenths = (microseconds + 50) / 100
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}

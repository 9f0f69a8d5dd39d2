internal import Hostnames

/// The state of a relay in the text format of Prometheus, version 0.0.4. No name of a host, user, account or certificate is in it.
enum MetricsText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"
    /// The bounds of the histogram's buckets, with the text of each in seconds.
    private static let buckets: [(microseconds: UInt64, text: String)] = [
        (1_000, "0.001"), (2_500, "0.0025"), (5_000, "0.005"), (10_000, "0.01"), (25_000, "0.025"), (50_000, "0.05"),
        (100_000, "0.1"), (250_000, "0.25"), (500_000, "0.5"), (1_000_000, "1"), (2_500_000, "2.5"), (5_000_000, "5"),
        (10_000_000, "10"), (30_000_000, "30"), (60_000_000, "60"),
    ]

    static func text(
        _ counters: RelayCounters,
        _ latencies: RelayLatencies,
        parentsInUse: [Bool],
        certificateEnds: [Int64] = []
    ) -> String {
        var text = ""
        func metric(_ name: String, _ type: String, _ help: String, _ value: Int) {
            text +=
                "# HELP sallyport_relay_\(name) \(help)\n# TYPE sallyport_relay_\(name) \(type)\nsallyport_relay_\(name) \(value)\n"
        }
        metric("requests_total", "counter", "Requests whose head was read.", counters.requests)
        metric("tunnels_total", "counter", "Tunnels that were opened.", counters.tunnels)
        metric("refusals_total", "counter", "Responses of the relay itself.", counters.refusals)
        metric("bad_log_ons_total", "counter", "Passwords that a parent refused.", counters.badLogOns)
        metric(
            "refused_clients_total",
            "counter",
            "Requests whose client was not let in.",
            counters.refusedClients
        )
        metric("failovers_total", "counter", "Requests that went to another parent.", counters.failovers)
        metric(
            "direct_fallbacks_total",
            "counter",
            "Requests that went directly, because no parent could be reached.",
            counters.directFallbacks
        )
        metric(
            "shortages_total",
            "counter",
            "Connections that failed because this machine had no descriptor, memory or port.",
            counters.shortages
        )
        metric(
            "connections_total",
            "counter",
            "Connections to parents and servers that were opened.",
            counters.parentConnections
        )
        metric("clients", "gauge", "Clients that are connected.", counters.clients)
        metric("tunnels", "gauge", "Tunnels that are open.", counters.openTunnels)
        metric(
            "connections",
            "gauge",
            "Connections to parents and servers that are open.",
            counters.openParentConnections
        )
        metric("waiting_for_password", "gauge", "Requests that wait for a password.", counters.waitingForPassword)
        text +=
            "# HELP sallyport_relay_parent_up Whether a parent is used, by its position.\n# TYPE sallyport_relay_parent_up gauge\n"
        for (index, isUsed) in parentsInUse.enumerated() {
            text += "sallyport_relay_parent_up{parent=\"\(index + 1)\"} \(isUsed ? 1 : 0)\n"
        }
        if !certificateEnds.isEmpty {
            let name = "sallyport_relay_client_certificate_end_seconds"
            text +=
                "# HELP \(name) When a client certificate expires, in Unix time, by its position.\n# TYPE \(name) gauge\n"
            for (index, end) in certificateEnds.enumerated() {
                text += "\(name){certificate=\"\(index + 1)\"} \(end)\n"
            }
        }
        return text + histogram(latencies)
    }

    private static func histogram(_ latencies: RelayLatencies) -> String {
        let name = "sallyport_relay_response_seconds"
        var text = "# HELP \(name) Time from a request's head to the head of its response.\n# TYPE \(name) histogram\n"
        for bucket in buckets {
            text += "\(name)_bucket{le=\"\(bucket.text)\"} \(latencies.count(upTo: bucket.microseconds))\n"
        }
        text += "\(name)_bucket{le=\"+Inf\"} \(latencies.count)\n"
        text += "\(name)_sum \(seconds(latencies.sumMicroseconds))\n"
        return text + "\(name)_count \(latencies.count)\n"
    }

    private static func seconds(_ microseconds: UInt64) -> String {
        let rest = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - rest.utf8.count) + rest
    }
}

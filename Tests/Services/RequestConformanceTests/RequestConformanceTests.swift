import LiveServers
import Testing

/// One table of what servers do, and each host that drives a request, on the same rows.
@Suite(.inTurn) struct RequestConformanceTests {
    @Test("Each host sends what the table says, and the caller gets what it says", arguments: Host.allCases)
    func rows(host: Host) async throws {
        for row in ConformanceRow.all where host.serves(row.route) && !row.skipped.contains(host.rawValue) {
            let expected = row.expectation(of: host.rawValue)
            let server = try await RowServer(expected.replies)
            let results = try await host.results(of: row, server)
            server.stop()
            let seen = ConformanceRow.Seen(wire: server.wire(row.route), results: results)
            #expect(seen == expected.seen, "\(row.name) (\(row.source)): \(seen), not \(expected.seen)")
            #expect(server.unusedReplies == 0, "\(row.name): replies that were not asked for")
        }
    }

    @Test("The table has rows for each way, and no exception that is none") func table() {
        for route in ConformanceRow.Route.allCases {
            #expect(ConformanceRow.all.count { $0.route == route } >= 8)
        }
        for row in ConformanceRow.all {
            for host in Host.allCases {
                guard let exception = row.exceptions[host.rawValue] else { continue }
                #expect(host.serves(row.route) && exception.seen != row.usual.seen, "\(row.name)")
            }
        }
        #expect(Set(ConformanceRow.all.map(\.name)).count == ConformanceRow.all.count)
    }
}

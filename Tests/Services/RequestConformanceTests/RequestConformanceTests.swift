import LiveServers
import Testing

/// One table of what servers do, and each host that drives a request, on the same rows.
@Suite(.inTurn) struct RequestConformanceTests {
    /// A row with one host.
    struct Trial: CustomTestStringConvertible {
        let row: ConformanceRow
        let host: Host
        /// Whether connections that end without a response end with a reset.
        var resets = false

        var testDescription: String { "\(host): \(row.name)\(resets ? ", with a reset" : "")" }

        /// What the server does, and what must be seen.
        var expected: ConformanceRow.Expectation {
            var expected = row.expectation(of: host)
            if resets { expected.replies = expected.replies.map(\.resetting) }
            return expected
        }

        static func all() throws -> [Trial] {
            try ConformanceRow.all().flatMap { row in
                Host.allCases.filter { $0.serves(row.route) && !row.skipped.contains($0) }.flatMap { host in
                    let closes = row.expectation(of: host).replies.contains(where: \.closes)
                    return [Trial(row: row, host: host)] + (closes ? [Trial(row: row, host: host, resets: true)] : [])
                }
            }
        }
    }

    @Test("The host sends what the table says, and the caller gets what it says", arguments: try Trial.all())
    func row(trial: Trial) async throws {
        let row = trial.row
        let expected = trial.expected
        let server = try await RowServer(expected.replies)
        let results = try await trial.host.results(of: row, server)
        server.stop()
        let seen = ConformanceRow.Seen(wire: server.wire(row.route, like: expected.seen.wire), results: results)
        #expect(seen == expected.seen, "\(row.source): \(seen), not \(expected.seen)")
        #expect(server.unusedReplies == 0)
    }

    @Test("The table has rows for each way, and no exception that is none") func table() throws {
        let rows = try ConformanceRow.all()
        for route in ConformanceRow.Route.allCases { #expect(rows.count { $0.route == route } >= 8) }
        for row in rows {
            for (host, exception) in row.exceptions {
                #expect(host.serves(row.route) && exception.seen != row.usual.seen, "\(row.name)")
            }
        }
        #expect(Set(rows.map(\.name)).count == rows.count)
    }
}

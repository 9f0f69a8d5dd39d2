import Foundation
import LiveServers
import TestSupport
import Testing

/// Several requests of one client with a ticket, on connections of Apache's mod_auth_gssapi.
@Suite(.inTurn, .serialized, .needs(.kerberos, .apache, .modAuthGSSAPI, .openssl))
struct KerberosConnectionsTests {
    private static let accepted = "200 jdoe@ACME.TEST"

    /// Runs a client with a ticket, whose lines are those of its requests.
    private func ask(_ client: String, _ urls: [String], in realm: KerberosRealm) async throws -> [String] {
        return try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let command = [BuiltProgram.forTests, "ask", client, "jdoe@ACME.TEST"] + urls
            return try AuthenticatingServer.run(command, environment: realm.environment(cache: "jdoe.cache")).output
                .split(separator: "\n").map(String.init)
        }
    }

    /// The requests below `path`, once Apache has logged `count` of them: it writes a line after its response.
    private func requests(
        below path: String,
        _ count: Int,
        of apache: KerberosServers.Apache
    ) async throws -> [KerberosServers.Apache.Request] {
        try await awaited("\(count) requests below \(path) in the log") {
            let requests = try apache.requests(below: path)
            return requests.count >= count ? requests : nil
        }
    }

    @Test("A connection that is authenticated needs no token; without that each request brings one") func connections()
        async throws
    {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        let apache = try KerberosServers.Apache(in: realm)
        for client in ["nio", "async"] {
            let site = "http://localhost:\(apache.http)"
            let bound = "/connection/\(client)/", each = "/request/\(client)/"
            let lines = try await ask(
                client,
                (0..<3).map { "\(site)\(bound)\($0)" } + (0..<3).map { "\(site)\(each)\($0)" },
                in: realm
            )
            try #require(lines == [String](repeating: Self.accepted, count: 6), "\(client): \(lines)")

            // The challenge, the token, and nothing more for the connection.
            // Nothing can authenticate a connection of AsyncHTTPClient, so its adapter opens one of its own after the challenge.
            let others = client == "async" ? 1 : 0
            let all = try await requests(below: bound, 4 + others, of: apache)
            #expect(all.prefix(others).allSatisfy { $0.status == 401 && !$0.hasToken }, "\(all)")
            let first = all.dropFirst(others)
            #expect(Set(first.map(\.port)).count == 1, "\(client): \(first)")
            #expect(
                first.map { "\($0.status) \($0.path) \($0.hasToken)" } == [
                    "401 \(bound)0 false", "200 \(bound)0 true", "200 \(bound)1 false", "200 \(bound)2 false",
                ],
                "\(client)"
            )
            // Where Apache authenticates requests, it takes each with a token of its own.
            let second = try await requests(below: each, 6, of: apache)
            let taken = second.filter { $0.status == 200 }
            #expect(taken.map(\.path) == (0..<3).map { "\(each)\($0)" } && taken.allSatisfy(\.hasToken), "\(second)")
            #expect(second.allSatisfy { $0.status == 200 || !$0.hasToken }, "\(second)")
        }
    }

    @Test("The page of a server that does not prove itself reaches no caller") func impostor() async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        let server = try KerberosServers.Own(in: realm, "--no-proof")
        for client in ["nio", "async"] {
            let lines = try await ask(client, ["http://localhost:\(server.port)/"], in: realm)
            #expect(lines.count == 1 && lines[0].hasPrefix("error http://localhost:"), "\(client): \(lines)")
            #expect(lines[0].contains("'account'") && lines[0].contains("negotiate-mutual: optional"), "\(lines)")
        }
    }
}

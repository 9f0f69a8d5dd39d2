import LiveServers
import TestSupport
import Testing

/// The core's own tokens, without SPNEGO around them, at servers that check them with MIT's library.
@Suite(.inTurn, .needs(.kerberos, .apache, .modAuthGSSAPI, .squid, .python), .serialized) struct ServerTests {
    @Test(
        "Apache takes the token, names the user, and its answer proves who it is",
        arguments: ["request", "connection"]
    )
    func apache(place: String) async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let apache = try KerberosServers.Apache(in: realm)
            let client = try initiator(in: realm)
            let head = try exchange(
                "GET /\(place)/a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Negotiate \(try tokenOf(client))",
                at: apache.http
            )
            #expect(head.hasPrefix("HTTP/1.1 200 "), "\(head)")
            #expect(field("X-User", in: head) == "jdoe@ACME.TEST")
            let answer = try #require(field("WWW-Authenticate", in: head)?.split(separator: " "))
            #expect(answer.first == "Negotiate")
            #expect(try client.ask("token \(answer.last ?? "")") == "done true")
        }
    }

    @Test("Apache refuses a token that was used before, or is for another service")
    func refusals() async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let apache = try KerberosServers.Apache(in: realm)
            let used = try tokenOf(initiator(in: realm))
            let other = try tokenOf(initiator(in: realm, "--host", "other.test"))
            func status(_ token: String) throws -> String {
                let request = "GET /request/a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Negotiate \(token)"
                return String(try exchange(request, at: apache.http).prefix(12))
            }
            #expect(try status(used) == "HTTP/1.1 200")
            #expect(try status(used) == "HTTP/1.1 401")
            #expect(try status(other) == "HTTP/1.1 401")
        }
    }

    @Test("Squid takes the token for a request and for a tunnel")
    func squid() async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let squid = try KerberosServers.Squid(in: realm)
            for line in [
                "GET http://127.0.0.1:\(squid.origin)/ HTTP/1.1", "CONNECT 127.0.0.1:\(squid.origin) HTTP/1.1",
            ] {
                let token = try tokenOf(initiator(in: realm))
                let head = try exchange(
                    "\(line)\r\nHost: 127.0.0.1:\(squid.origin)\r\nProxy-Authorization: Negotiate \(token)",
                    at: squid.proxy
                )
                #expect(head.hasPrefix("HTTP/1.1 200 "), "\(head)")
            }
            #expect(try squid.users(atLeast: 1).first == "jdoe@ACME.TEST")
        }
    }

    private func initiator(in realm: KerberosRealm, _ more: String...) throws -> HelperProcess {
        try HelperProcess(
            [BuiltProgram.forTests, "initiate", "--no-codes"] + more,
            environment: realm.environment(cache: "jdoe.cache")
        )
    }

    private func tokenOf(_ client: HelperProcess) throws -> String {
        let words = try client.readLine().split(separator: " ")
        try #require(words.count == 2 && words[0] == "token", "\(words)")
        return String(words[1])
    }

    /// Sends a request; returns the response's head.
    private func exchange(_ request: String, at port: UInt16) throws -> String {
        let stream = try ByteStream(port: port)
        try stream.send(Array((request + "\r\nConnection: close\r\n\r\n").utf8))
        return String(decoding: try stream.read(upTo: Array("\r\n\r\n".utf8)), as: UTF8.self)
    }

    private func field(_ name: String, in head: String) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }
}

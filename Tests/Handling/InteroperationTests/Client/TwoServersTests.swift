import HTTPAuthentication
import Hostnames
import LiveServers
import Sallyport
import Secrets
import Testing

/// Two servers of Twisted behind one name: neither knows the nonces of the other, and neither says `stale`.
///
/// Their counts show what each client costs: PyPI's requests sends an answer to the wrong server with each request but the first,
/// and curl asks before each of its requests.
@Suite("Digest against two servers behind one name", .inTurn, .serialized, .needs(.twisted, .curl, .requestsNTLM))
struct TwoServersTests {
    private let servers: DigestServer
    private let origin: Origin

    init() throws {
        servers = try DigestServer.twistedPair()
        origin = try Origin(parsing: "http://localhost:\(servers.port)")
    }

    private func handler(oneAtATime: Bool = false) throws -> ChallengeHandler {
        let rule = "http://localhost:\(servers.port)"
        let account = Account(
            name: "account",
            user: "jdoe",
            domain: nil,
            password: SharedSecret(utf8: GuardedServer.password)
        )
        var lockout = LockoutRules()
        lockout.isOneAtATime = oneAtATime
        let profile = SecurityProfile(
            sites: try SiteList(parsing: rule, name: "live"),
            schemes: [.digest],
            accounts: [.init(account, sites: [rule])],
            lockout: lockout
        )
        return try ChallengeHandler(profile: profile, at: 0)
    }

    private func take(_ count: String) throws -> Int {
        let answer = try servers.ask(count)
        guard let number = Int(answer) else { throw PeerFailure(what: "the count is \(answer)") }
        return number
    }

    @Test("curl and requests get each page")
    func oracles() throws {
        let urls = (0..<6).map { "\(origin)/\($0)" }
        let curl = try HelperProcess(
            ["curl", "-s", "--digest", "-u", "jdoe:\(GuardedServer.password)", "-H", "Connection: close"]
                + ["-w", "%{http_code}\\n"] + urls.flatMap { ["-o", "/dev/null", $0] }
        )
        // A connection of its own for each of curl's messages leads each answer to the server that did not ask.
        for _ in urls { #expect(try curl.readLine() == "401") }
        _ = try take("lost")
        let kept = try HelperProcess(
            ["curl", "-s", "--digest", "-u", "jdoe:\(GuardedServer.password)", "-w", "%{http_code}\\n"]
                + urls.flatMap { ["-o", "/dev/null", $0] }
        )
        for _ in urls { #expect(try kept.readLine() == "200") }
        #expect(try take("lost") == 0)
        let script = """
            import sys, requests, requests.auth
            session = requests.Session()
            session.auth = requests.auth.HTTPDigestAuth("jdoe", sys.argv[1])
            for url in sys.argv[2:]:
                print(session.get(url).status_code, flush=True)
                session.close()
            """
        let requests = try HelperProcess(["python3", "-c", script, GuardedServer.password] + urls)
        for _ in urls { #expect(try requests.readLine() == "200") }
        #expect(try take("lost") == urls.count - 1)
        #expect(try take("wrong") == 0)
    }

    @Test("We get each page, one after the other and 64 at a time", arguments: [false, true])
    func pages(oneAtATime: Bool) async throws {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let client = LiveClient(try handler(oneAtATime: oneAtATime))
            for index in 0..<20 {
                let reply = try await client.send(LiveRequest("/\(index)", at: origin))
                #expect(reply.status == 200 && reply.outcome == .accepted && reply.sends <= 2, "\(index): \(reply)")
                client.closeConnections()
            }
            // On a slow machine more requests ask first.
            let lost = try take("lost")
            #expect(lost <= (oneAtATime ? 0 : DigestLimits.lostNonces), "\(lost)")
            let replies = try await client.send((0..<64).map { LiveRequest("/\($0)", at: origin) }, atOnce: true)
            #expect(replies.filter { $0.status != 200 } == [])
            #expect(try take("wrong") == 0)
        }
    }

    @Test("A password that was changed in a quiet time is sent twice at most")
    func changed() async throws {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let client = LiveClient(try handler())
            for index in 0..<4 { #expect(try await client.send(LiveRequest("/\(index)", at: origin)).status == 200) }
            #expect(try servers.ask("password Another-Horse") == "done")
            try await Task.sleep(for: LockoutScenario.quietTime)
            for index in 4..<10 { #expect(try await client.send(LiveRequest("/\(index)", at: origin)).status == 401) }
            let wrong = try take("wrong")
            #expect((1...2).contains(wrong), "\(wrong)")
        }
    }
}

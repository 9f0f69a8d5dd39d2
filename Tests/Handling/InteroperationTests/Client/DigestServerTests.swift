import Foundation
import HTTPAuthentication
import LiveServers
import Synchronization
import Testing

/// Answers to challenges and answers in advance, without a handler, against servers by other people.
@Suite("Digest against Apache", .inTurn, .serialized, .needs(.apache, .openssl))
struct DigestApacheTests {
    @Test("One trip for each request after the first; the proof of the server is demanded")
    func inAdvance() throws {
        let apache = try ServerScript.PasswordApache(realm: [0x63, 0x61, 0x66, 0xE9])
        defer { withExtendedLifetime(apache) {} }
        for (user, password) in ServerScript.accounts {
            let rules = DigestRules(demandsServerProof: true)
            let live = LiveDigest(port: apache.http, user: user, password: password, rules: rules)
            let first = try live.challenged("/digest")
            #expect(first.statuses == [401, 200] && first.end == .done, "\(user)")
            for (index, target) in ["/digest/a", "/digest?b=c,d;%22", "/digest/%C3%A9"].enumerated() {
                let next = try live.inAdvance(target, method: index == 1 ? "HEAD" : "GET")
                #expect(next.status == 200 && next.step == .done, "\(user) \(target)")
                #expect(next.count == "0000000\(index + 2)")
            }
        }
        let wrong = try LiveDigest(port: apache.http, password: "Wrong-Horse").challenged("/digest")
        #expect(wrong.statuses == [401, 401] && wrong.end == .fail(.refused))
    }

    @Test("A nonce that has aged is stale, and nextnonce replaces it before")
    func staleNonce() throws {
        let apache = try ServerScript.PasswordApache(realm: Array("Acme".utf8))
        defer { withExtendedLifetime(apache) {} }
        let live = LiveDigest(port: apache.http)
        // A nonce lasts for a second. A busy machine may need longer between the requests.
        let clock = ContinuousClock()
        var asked = clock.now
        func isInTime() -> Bool { clock.now - asked < .seconds(1) }
        let first = try live.challenged("/digest-short").statuses
        #expect(first == [401, 200] || !isInTime() && first.last == 200 && Set(first.dropLast()) == [401], "\(first)")
        usleep(2_100_000)
        asked = clock.now
        let stale = try live.inAdvance("/digest-short")
        #expect(stale.status == 401 && stale.step == .answerAgain)
        /// Sends a request. Its nonce is younger than the last request, whose response brought it.
        func next(after stale: DigestAnswer?) throws -> LiveDigest.Advance {
            var last = stale
            var found: LiveDigest.Advance?
            try blockUntil("a request whose nonce is young") {
                let sent = clock.now
                let next = try live.inAdvance("/digest-short", after: last)
                if next.step != .answerAgain || isInTime() { found = next }
                (asked, last) = (sent, next.answer)
                return found != nil
            }
            return try #require(found)
        }
        let again = try next(after: stale.answer)
        #expect(again.status == 200 && again.step == .done && again.count == "00000001")
        // Requests go on for longer than a nonce lasts, because each response brings the next one.
        for _ in 0..<5 {
            usleep(500_000)
            let next = try next(after: nil)
            #expect(next.status == 200 && next.step == .done)
        }
    }

    @Test("The protection space is what AuthDigestDomain names")
    func domain() throws {
        let apache = try ServerScript.PasswordApache(realm: Array("Acme".utf8))
        defer { withExtendedLifetime(apache) {} }
        let live = LiveDigest(port: apache.http)
        #expect(try live.challenged("/digest-domain/a").statuses == [401, 200])
        #expect(live.covers("/digest-domain/a/x") == true && live.covers("/digest-domain/b") == true)
        #expect(live.covers("/digest-domain/c") == false && live.covers("/") == false)
        #expect(try live.inAdvance("/digest-domain/b").status == 200)
    }
}

@Suite("Digest against lighttpd", .inTurn, .serialized, .needs(.lighttpd))
struct DigestLighttpdTests {
    @Test("MD5, SHA-256, SHA-512-256 and userhash, right and wrong passwords, challenged and in advance")
    func algorithms() throws {
        let lighttpd = try DigestServer.lighttpd()
        defer { withExtendedLifetime(lighttpd) {} }
        for path in ["/MD5", "/SHA-256", "/SHA-512-256", "/userhash", "/both"] {
            for (user, password) in ServerScript.accounts {
                let live = LiveDigest(port: lighttpd.port, user: user, password: password)
                let first = try live.challenged(path)
                #expect(first.statuses == [401, 200] && first.end == .done, "\(path) \(user)")
                for count in 2...3 {
                    let next = try live.inAdvance(path)
                    #expect(
                        next.status == 200 && next.step == .done && next.count == "0000000\(count)",
                        "\(path) \(user)"
                    )
                }
            }
            let wrong = try LiveDigest(port: lighttpd.port, password: "Wrong-Horse").challenged(path)
            #expect(wrong.statuses == [401, 401] && wrong.end == .fail(.refused), "\(path)")
        }
        let strong = LiveDigest(port: lighttpd.port, rules: DigestRules(weakest: .sha2))
        #expect(try strong.challenged("/both").statuses == [401, 200])
        #expect(try strong.challenged("/MD5").end == .fail(.tooWeak(algorithm: "MD5")))
    }
}

@Suite("Digest against Squid", .inTurn, .serialized, .needs(.squid, .python))
struct DigestSquidTests {
    @Test("Parallel requests of one session are all answered, in whatever order their counts arrive")
    func parallel() throws {
        let origin = try ServerPort.take()
        let squid = try DigestServer.squid(origin: origin, nonceCount: 1_000)
        defer { withExtendedLifetime(squid) {} }
        let page = "http://127.0.0.1:\(origin)/"
        let live = LiveDigest(port: squid.port, party: .proxy)
        #expect(try live.challenged(page).statuses == [407, 200])
        let statuses = Mutex<[Int]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<12 {
                let status = (try? live.request(page))?.status ?? 0
                statuses.withLock { $0.append(status) }
            }
        }
        let all = statuses.withLock { $0 }
        #expect(all == [Int](repeating: 200, count: 96))
    }

    @Test("A proxy's nonce serves all requests until Squid calls it stale, whose counter is checked")
    func proxy() throws {
        let origin = try ServerPort.take()
        let squid = try DigestServer.squid(origin: origin, nonceCount: 4)
        defer { withExtendedLifetime(squid) {} }
        let page = "http://127.0.0.1:\(origin)/"
        for (user, password) in ServerScript.accounts {
            let live = LiveDigest(port: squid.port, party: .proxy, user: user, password: password)
            let first = try live.challenged(page)
            #expect(first.statuses == [407, 200] && first.end == .done, "\(user)")
            #expect(live.covers("elsewhere.example:443") == true)
            var refused = 0
            for _ in 0..<12 {
                var next = try live.inAdvance(page)
                if next.step == .answerAgain {
                    refused += 1
                    next = try live.inAdvance(page, after: next.answer)
                    #expect(next.count == "00000001")
                }
                #expect(next.status == 200 && next.step == .done, "\(user) \(next.count ?? "-")")
            }
            // A nonce serves four requests, so that most requests take one trip.
            #expect(refused <= 4, "\(user): \(refused)")
        }
        let wrong = try LiveDigest(port: squid.port, party: .proxy, password: "Wrong-Horse").challenged(page)
        #expect(wrong.statuses == [407, 407] && wrong.end == .fail(.refused))
    }
}

@Suite("Digest with auth-int against httpbin", .inTurn, .serialized, .needs(.httpbin))
struct DigestHTTPBinTests {
    @Test("Requests with and without a body", arguments: ["MD5", "SHA-256"])
    func authInt(algorithm: String) throws {
        let httpbin = try DigestServer.httpbin()
        defer { withExtendedLifetime(httpbin) {} }
        let path = "/digest-auth/auth-int/jdoe/Correct-Horse/\(algorithm)"
        let live = LiveDigest(port: httpbin.port)
        for body in [[], Array("one two three".utf8), [UInt8](repeating: 0xE9, count: 5_000)] {
            let first = try live.challenged(path, body: body)
            #expect(first.statuses == [401, 200] && first.end == .done, "\(body.count) bytes")
            let next = try live.inAdvance(path, body: body.reversed())
            #expect(next.status == 200 && next.step == .done, "\(body.count) bytes")
        }
        let wrong = try LiveDigest(port: httpbin.port, password: "Wrong-Horse").challenged(path, body: [1, 2])
        #expect(wrong.statuses.last == 401 && wrong.end == .fail(.refused))
    }
}

import Crypto
import Foundation
import HTTPTypes
import Synchronization
import Testing
import WireFormat

@testable import HTTPAuthentication

@Suite struct DigestSessionTests {
    private static let challenge = #"Digest realm="r", nonce="n1", algorithm=SHA-256, qop="auth", opaque="o""#

    private func session(
        _ challenge: String = challenge,
        party: ChallengedParty = .origin,
        rules: DigestRules = DigestRules(),
        origin: String? = "https://wiki.example:443",
        information: String? = nil
    ) throws -> DigestSession {
        let request = ExchangeRequest(method: "GET", target: "/", host: "wiki.example", body: .none, origin: origin)
        var exchange = AuthenticationExchange.digest(.init("u", "p"), party: party, request: request, rules: rules)
        _ = exchange.received(status: party.status, fields: .challenge(challenge, by: party))
        let isTakenEarly = exchange.takeDigestSession() != nil
        #expect(!isTakenEarly)
        #expect(exchange.received(status: 200, fields: try Self.information(information, party)) == .done)
        guard let session = exchange.takeDigestSession() else { throw Missing() }
        return session
    }

    private struct Missing: Error {}

    private static func information(_ value: String?, _ party: ChallengedParty = .origin) throws -> HTTPFields {
        guard let value else { return [:] }
        let name = party == .origin ? "Authentication-Info" : "Proxy-Authentication-Info"
        return [try #require(HTTPField.Name(name)): value]
    }

    private func parameters(_ answer: DigestAnswer) throws -> Challenge {
        try #require(try ChallengeParser.parse(answer.value.text).first)
    }

    @Test("The counter goes up by one for each answer, and nothing else changes")
    func counter() throws {
        var session = try session()
        var answers: [Challenge] = []
        for _ in 0..<300 { answers.append(try parameters(session.answer(method: "GET", target: "/a"))) }
        #expect(answers.compactMap { $0["nc"] }.map { UInt32($0, radix: 16) } == (2...301).map { UInt32($0) })
        #expect(answers.allSatisfy { $0["nc"]?.utf8.count == 8 && $0["nonce"] == "n1" && $0["opaque"] == "o" })
        #expect(Set(answers.map { $0["cnonce"] }).count == 1)
        #expect(Set(answers.map { $0["response"] }).count == answers.count)
    }

    @Test("nextnonce replaces the nonce, and the counter begins anew; a proxy's too")
    func nextNonce() throws {
        for party in [ChallengedParty.origin, .proxy] {
            var session = try session(party: party)
            let first = try session.answer(method: "GET", target: "/")
            let late = try session.answer(method: "GET", target: "/")
            let fields = try Self.information(#"nextnonce="n2""#, party)
            #expect(session.received(status: 404, fields: fields, to: first) == .done)
            let second = try parameters(session.answer(method: "GET", target: "/"))
            #expect(second["nonce"] == "n2" && second["nc"] == "00000001")
            #expect(second["cnonce"] != (try parameters(first))["cnonce"])
            // A response to the older nonce does not bring the session back to another one.
            let older = try Self.information(#"nextnonce="n3""#, party)
            #expect(session.received(status: 200, fields: older, to: late) == .done)
            let third = try parameters(session.answer(method: "GET", target: "/"))
            #expect(third["nonce"] == "n2" && third["nc"] == "00000002")
        }
    }

    @Test("nextnonce in the response to the first answer counts for the session")
    func nextNonceAtOnce() throws {
        var session = try session(information: #"nextnonce="n2""#)
        let answer = try parameters(session.answer(method: "GET", target: "/"))
        #expect(answer["nonce"] == "n2" && answer["nc"] == "00000001")
    }

    @Test("A nextnonce that cannot be repeated is ignored", arguments: [#"nextnonce="""#, "nextnonce=\"\u{FFFD}\""])
    func uselessNextNonce(information: String) throws {
        var session = try session(information: information)
        #expect(try parameters(session.answer(method: "GET", target: "/"))["nonce"] == "n1")
    }

    private static func stale(_ nonce: String) -> HTTPFields {
        .challenge(#"Digest realm="r", nonce="\#(nonce)", algorithm=SHA-256, qop="auth", stale=true"#)
    }

    @Test("stale=true brings a nonce; a request that is stale twice goes to an exchange")
    func stale() throws {
        var session = try session()
        let first = try session.answer(method: "GET", target: "/")
        let parallel = try session.answer(method: "GET", target: "/b")
        #expect(session.received(status: 401, fields: Self.stale("n2"), to: first) == .answerAgain)
        // The other request learns that its nonce is stale as well; the newer nonce stays.
        #expect(session.received(status: 401, fields: Self.stale("n3"), to: parallel) == .answerAgain)
        let second = try session.answer(method: "GET", target: "/", after: first)
        #expect(try parameters(second)["nonce"] == "n2" && parameters(second)["nc"] == "00000001")
        #expect(session.received(status: 401, fields: Self.stale("n4"), to: second) == .challenged)
        // The exchange uses n4 with a count of its own, so the session must not.
        let third = try session.answer(method: "GET", target: "/")
        #expect(try parameters(third)["nonce"] == "n2" && parameters(third)["nc"] == "00000002")
        let hasEnded = session.hasEnded
        #expect(!hasEnded)
    }

    @Test("Many stale nonces in a row end the session; a success between them does not")
    func alwaysStale() throws {
        for succeeds in [false, true] {
            var session = try session()
            for number in 0..<DigestLimits.staleNoncesOfSession {
                let answer = try session.answer(method: "GET", target: "/")
                #expect(session.received(status: 401, fields: Self.stale("s\(number)"), to: answer) == .answerAgain)
            }
            if succeeds {
                let answer = try session.answer(method: "GET", target: "/")
                #expect(session.received(status: 200, fields: [:], to: answer) == .done)
            }
            let answer = try session.answer(method: "GET", target: "/")
            let step = session.received(status: 401, fields: Self.stale("last"), to: answer)
            #expect(step == (succeeds ? .answerAgain : .challenged))
            let hasEnded = session.hasEnded
            #expect(hasEnded == !succeeds)
            if hasEnded {
                #expect(throws: ExchangeFailure.outOfOrder) { try session.answer(method: "GET", target: "/") }
            }
        }
    }

    private static func md5(_ text: String) -> String {
        let digest = [UInt8](Insecure.MD5.hash(data: [UInt8](text.utf8)))
        return Hexadecimal.encode(digest.span)
    }

    @Test("A stale nonce binds the key of a session algorithm anew")
    func staleSessionAlgorithm() throws {
        let challenge = #"Digest realm="r", nonce="n1", algorithm=MD5-sess, qop="auth""#
        var session = try session(challenge)
        let first = try session.answer(method: "GET", target: "/")
        let stale = HTTPFields.challenge(challenge.replacing("n1", with: "n2") + ", stale=true")
        let nonces = ExchangeNonces(ntlm: nil, digestClientNonce: "c2", time: nil)
        #expect(session.received(status: 401, fields: stale, to: first, nonces: nonces) == .answerAgain)
        let second = try parameters(session.answer(method: "GET", target: "/a"))
        let key = Self.md5("\(Self.md5("u:r:p")):n2:c2")
        #expect(second["response"] == Self.md5("\(key):n2:00000001:c2:auth:\(Self.md5("GET:/a"))"))
    }

    @Test("A stale nonce weakens nothing; what needs the password goes back to an exchange")
    func staleDoesNotWeaken() throws {
        for (challenge, step) in [
            (#"Digest realm="r", nonce="n2", qop="auth", stale=true"#, .fail(.weakened(parameter: "algorithm"))),
            (
                #"Digest realm="x", nonce="n2", qop="auth", algorithm=SHA-256, stale=true"#,
                .fail(.weakened(parameter: "realm"))
            ),
            (#"Digest realm="r", nonce="n2", algorithm=SHA-256, stale=true"#, .fail(.qopMissing)),
            (#"Digest realm="r", algorithm=SHA-256, qop=auth, stale=true"#, .fail(.missingParameter(name: "nonce"))),
            (#"Digest realm="r", nonce="n2", qop="auth", algorithm=SHA-512-256, stale=true"#, .challenged),
            (#"Digest realm="r", nonce="n2", qop="auth", algorithm=SHA-256-sess, stale=true"#, .challenged),
            // RFC 7616 section 3.3 lets `stale` without `true` mean a wrong password, which the answer to the new nonce shows.
            (#"Digest realm="r", nonce="n2", qop="auth", algorithm=SHA-256, stale=false"#, .otherNonce),
            (#"Digest realm="r", nonce="n1", qop="auth", algorithm=SHA-256, stale=false"#, .challenged),
            (#"Digest realm="r", nonce="n2", qop="auth", algorithm=SHA-256"#, .otherNonce),
            (#"Digest realm="r", nonce="n1", qop="auth", algorithm=SHA-256"#, .challenged),
            (#"Digest realm="x", nonce="n2", qop="auth", algorithm=SHA-256"#, .otherRealm),
            ("Basic realm=r", .challenged),
        ] as [(String, DigestSession.Step)] {
            var session = try session()
            let answer = try session.answer(method: "GET", target: "/")
            #expect(session.received(status: 401, fields: .challenge(challenge), to: answer) == step, "\(challenge)")
            // Only this request is concerned.
            #expect(try parameters(session.answer(method: "GET", target: "/"))["nonce"] == "n1")
        }
    }

    @Test("Lost nonces are counted in a row, and one that many answers carried once")
    func lostNonces() throws {
        var session = try session()
        let answers = try (0..<3).map { _ in try session.answer(method: "GET", target: "/") }
        for (answer, realm) in zip(answers, ["r", "elsewhere"]) {
            let lost = HTTPFields.challenge(#"Digest realm="\#(realm)", nonce="n2", qop="auth", algorithm=SHA-256"#)
            #expect(
                session.received(status: 401, fields: lost, to: answer) == (realm == "r" ? .otherNonce : .otherRealm)
            )
        }
        var count = session.lostNonces
        #expect(count == 1)
        #expect(session.received(status: 200, fields: [:], to: answers[2]) == .done)
        count = session.lostNonces
        #expect(count == 0)
    }

    @Test(
        "A new nonce is no refusal, also of a party that has proven itself or called another nonce stale",
        arguments: [#"nextnonce="n3""#, "qop=auth", "stale"]
    )
    func provenParty(information: String) throws {
        var session = try session()
        let first = try session.answer(method: "GET", target: "/")
        if information == "stale" {
            #expect(session.received(status: 401, fields: Self.stale("n3"), to: first) == .answerAgain)
        } else {
            #expect(session.received(status: 200, fields: try Self.information(information), to: first) == .done)
        }
        let second = try session.answer(method: "GET", target: "/")
        for more in ["", ", stale=false"] {
            let other = HTTPFields.challenge(#"Digest realm="r", nonce="n2", qop="auth", algorithm=SHA-256"# + more)
            #expect(session.received(status: 401, fields: other, to: second) == .otherNonce)
        }
    }

    @Test(
        "A proof that is about another answer, or wrong, ends the session",
        arguments: [
            (#"rspauth="00""#, .partyNotAuthenticated), (#"rspauth="00", qop=auth-int"#, .proofOfAnother("qop")),
            (#"rspauth="00", cnonce="x""#, .proofOfAnother("cnonce")),
            (#"rspauth="00", nc=00000001"#, .proofOfAnother("nc")), (#"rspauth="00", nc=x"#, .proofOfAnother("nc")),
            (#"rspauth="00", rspauth="01""#, .unreadableProof(.duplicateParameter(name: "rspauth"))),
        ] as [(String, ExchangeFailure)]
    )
    func wrongProofs(information: String, failure: ExchangeFailure) throws {
        var session = try session()
        let answer = try session.answer(method: "GET", target: "/")
        let fields = try Self.information(information)
        #expect(session.received(status: 200, fields: fields, to: answer) == .fail(failure))
        let hasEnded = session.hasEnded
        #expect(hasEnded)
    }

    @Test("A proof is demanded only if the rules say so")
    func demandedProof() throws {
        let request = ExchangeRequest(method: "GET", target: "/", host: "wiki.example", body: .none)
        for demands in [false, true] {
            let rules = DigestRules(demandsServerProof: demands)
            for (qop, information, failure) in [
                ("auth", nil, .proofMissing), ("auth", #"nextnonce="x""#, .proofMissing),
                ("auth-int", #"rspauth="00""#, .proofNotVerifiable),
            ] as [(String, String?, ExchangeFailure)] {
                var exchange = AuthenticationExchange.digest(
                    .init("u", "p"),
                    party: .origin,
                    request: request,
                    rules: rules
                )
                let challenge = "Digest realm=r, nonce=n, qop=\(qop)"
                #expect(exchange.received(status: 401, fields: .challenge(challenge)).value != nil)
                let step = exchange.received(status: 200, fields: try Self.information(information))
                #expect(step == (demands ? .fail(failure) : .done), "\(challenge) \(information ?? "-")")
            }
        }
    }

    @Test(
        "The protection space is what domain names on the origin",
        arguments: [
            (nil, ["/": true, "/a?b": true, "*": true, "https://wiki.example/x": true]),
            ("", ["/": true]),
            ("/a /b/", ["/a": true, "/a/x": true, "/b/c": true, "/b": false, "/": false, "*": false]),
            ("https://wiki.example/a", ["/a/b": true, "/c": false, "https://WIKI.example:443/a": true]),
            ("https://wiki.example", ["/a": true, "https://wiki.example": true, "https://other.example/a": false]),
            ("https://other.example/ http://wiki.example/ //wiki.example/ a https://u@wiki.example/", ["/": false]),
            // RFC 3986 section 4.2: it begins with a host, and no path does.
            ("//wiki.example/a", ["//wiki.example/a": false, "/a": false]),
            ("https://other.example/ /a", ["/a": true, "/b": false, "https://other.example/a": false]),
        ] as [(String?, [String: Bool])]
    )
    func protectionSpace(domain: String?, targets: [String: Bool]) throws {
        let parameter = domain.map { ", domain=\"\($0)\"" } ?? ""
        let session = try session(Self.challenge + parameter)
        for (target, isCovered) in targets {
            let answer = session.covers(target: target)
            #expect(answer == isCovered, "\(target)")
        }
        // A proxy's space is all of it.
        let proxy = try self.session(Self.challenge + parameter, party: .proxy)
        for target in targets.keys {
            let answer = proxy.covers(target: target)
            #expect(answer, "\(target)")
        }
    }

    @Test(
        "Without the origin's name absolute entries do not count, and entries after the last one that is read neither"
    )
    func boundedSpace() throws {
        let unknown = try session(Self.challenge + ", domain=\"https://wiki.example/\"", origin: nil)
        let isCovered = unknown.covers(target: "/")
        #expect(!isCovered)
        let entries = (0...DigestLimits.domainEntries).map { "/p\($0)/" }
        let many = try session(Self.challenge + ", domain=\"\(entries.joined(separator: " "))\"")
        let last = many.covers(target: "/p\(DigestLimits.domainEntries - 1)/")
        let further = many.covers(target: "/p\(DigestLimits.domainEntries)/")
        #expect(last && !further)
    }

    @Test("auth-int needs the body of each request")
    func bodies() throws {
        var session = try session(#"Digest realm="r", nonce="n1", qop="auth-int""#)
        #expect(throws: ExchangeFailure.bodyNotAvailable) { try session.answer(method: "POST", target: "/") }
        // The answer that was not made has no count.
        let answer = try parameters(session.answer(method: "POST", target: "/", body: .bytes([1])))
        #expect(answer["nc"] == "00000002" && answer["qop"] == "auth-int")
    }

    @Test("A target that no field may hold is not sent, and does not use a count")
    func invalidTarget() throws {
        var session = try session()
        #expect(throws: ExchangeFailure.targetNotRepresentable) { try session.answer(method: "GET", target: "/\r\n") }
        #expect(try parameters(session.answer(method: "GET", target: "/"))["nc"] == "00000002")
    }

    @Test(
        "The count has eight digits, each of which takes all its values",
        arguments: ["01234567", "89abcdef", "fedcba98", "0000000a"]
    )
    func countDigits(_ digits: String) throws {
        var session = try session()
        session.skipAnswers(to: try #require(UInt32(digits, radix: 16)) - 1)
        #expect(try parameters(session.answer(method: "GET", target: "/"))["nc"] == digits)
    }

    @Test("At the end of the count a new nonce is needed")
    func exhausted() throws {
        var session = try session()
        session.skipAnswers(to: DigestLimits.answersPerNonce - 1)
        #expect(try parameters(session.answer(method: "GET", target: "/"))["nc"] == "ffffffff")
        #expect(throws: ExchangeFailure.nonceExhausted) { try session.answer(method: "GET", target: "/") }
    }

    @Test("Under a lock, answers of many threads have counts of their own")
    func threads() throws {
        let session = Mutex(try session())
        let counts = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for _ in 0..<100 {
                let answer = try? session.withLock { try $0.answer(method: "GET", target: "/\(thread)") }
                let count = answer.flatMap { try? ChallengeParser.parse($0.value.text).first?["nc"] }
                counts.withLock { $0.append(count ?? "none") }
            }
        }
        let all = counts.withLock { $0 }
        #expect(Set(all.map { UInt32($0, radix: 16) }) == Set((2...801).map { UInt32($0) }))
        #expect(all.count == 800)
    }

    @Test("Neither a text nor a buffer of an exchange holds H(A1) after an answer", arguments: ["SHA-256", "MD5-sess"])
    func secrets(algorithm: String) throws {
        let request = ExchangeRequest(method: "GET", target: "/", host: "wiki.example", body: .none)
        var exchange = DigestExchange(credential: .init("u", "p"), request: request, rules: DigestRules())
        let challenge = "Digest realm=r, nonce=n, algorithm=\(algorithm), qop=auth"
        let offer = OfferedChallenges(by: .origin, in: .challenge(challenge))
        let step = exchange.received(offer.challenges(of: .digest), party: .origin, nonces: .fresh)
        let answer = try #require(step.parameters)
        let response = try #require(answer["response"])
        let clientNonce = try #require(answer["cnonce"])

        let sha256 = [UInt8](SHA256.hash(data: [UInt8]("u:r:p".utf8)))
        let secrets =
            algorithm == "SHA-256"
            ? [Hexadecimal.encode(sha256.span)]
            : [Self.md5("u:r:p"), Self.md5("\(Self.md5("u:r:p")):n:\(clientNonce)")]
        let texts = Self.texts(in: exchange)
        #expect(texts.contains { $0.contains(response) })
        for secret in secrets { #expect(!texts.contains { $0.contains(secret) }) }
    }

    /// All texts and arrays of bytes that reflection finds in `value`.
    private static func texts(in value: Any) -> [String] {
        if let text = value as? String { return [text] }
        if let bytes = value as? [UInt8] { return [String(decoding: bytes, as: UTF8.self)] }
        return Mirror(reflecting: value).children.flatMap { texts(in: $0.value) }
    }

    @Test("Failures are one line with a remedy")
    func descriptions() {
        for failure in [
            .qopMissing, .tooWeak(algorithm: "MD5"), .bodyNotAvailable, .nonceExhausted, .proofMissing,
            .proofNotVerifiable, .proofOfAnother("nc"),
        ] as [ExchangeFailure] {
            #expect("\(failure)".contains(": ") && !"\(failure)".contains("\n"))
        }
    }
}

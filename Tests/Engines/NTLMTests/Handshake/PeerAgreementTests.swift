import Foundation
import InsecureDigests
import NTLM
import Secrets
import TestLimits
import TestSupport
import Testing
import WireFormat

/// 10,000 handshakes: 2,500 for each of pyspnego and impacket, in each direction.
@Suite(.inTurn, .enabled(if: PythonPeer.hasBothPeers, PythonPeer.isOneMissing))
struct PeerAgreementTests {
    private static let perPeerAndDirection = 2_500
    private static let now = FileTime(rawValue: 133_500_000_000_000_000)

    private struct Greeting: Decodable {
        let pyspnego: String
        let impacket: String
        let diverging: [String]
    }

    private struct Case: Encodable {
        let number: Int
        let peer: String
        let task: String
        let user: String
        let domain: String
        let password: String
        let negotiate: String
        let challenge: String
        var authenticate: String?
    }

    /// What a peer makes of our AUTHENTICATE.
    private struct Reading: Decodable, Equatable {
        var ntHash: String
        var ntowfV2: String
        var fullUppercaseNTOWFv2: String?
        var ntProofStr: String
        var sessionBaseKey: String
        var exportedSessionKey: String
        var mic: String?
    }

    /// The AUTHENTICATE of a peer.
    private struct Writing: Decodable {
        let authenticate: String
        let exportedSessionKey: String
    }

    private static let letters = Array("abcxyzABZ0189.-_ äöüéñżłøжцёЯαβλσδ山田日本한\u{1F600}")

    private func text(_ letters: [Character], _ count: ClosedRange<Int>, _ random: inout SeededGenerator) -> String {
        String((0..<Int.random(in: count, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" })
    }

    /// Users, every fourth of whom has a letter that Python and Windows capitalise differently, and any password.
    private func person(_ diverging: [String], _ random: inout SeededGenerator) -> (String, String, String) {
        var user = text(Self.letters, 1...20, &random)
        if random.next() % 4 == 0 { user += diverging.randomElement(using: &random) ?? "" }
        let signs = Self.letters + Array("ßŉﬁıſς\u{10428}$%&/()=?\"\\\u{7f}")
        return (user, text(Self.letters, 1...15, &random), text(signs, 0...40, &random))
    }

    private func answers<Answer: Decodable>(_ cases: [Case]) throws -> [Answer] {
        let file = TemporaryFolder.place("cases")
        defer { try? FileManager.default.removeItem(at: file) }
        let encoder = JSONEncoder()
        var lines = Data()
        for each in cases { lines += try encoder.encode(each) + Data("\n".utf8) }
        try lines.write(to: file)
        return try PythonPeer.lines("peer_agreement.py", file.path)
    }

    private func greeting() throws -> Greeting {
        let greetings: [Greeting] = try PythonPeer.lines("peer_agreement.py")
        return try #require(greetings.first)
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String { Hexadecimal.encode(bytes.span) }

    @Test("Ours, computed anew by pyspnego and impacket: hashes, keys, proof and integrity code")
    func oursReadByPeers() throws {
        var random = SeededGenerator(seed: 1)
        let diverging = try greeting().diverging
        var cases: [Case] = []
        var expected: [Reading] = []
        for number in 0..<(2 * Self.perPeerAndDirection) {
            let (user, domain, password) = person(diverging, &random)
            let hash = try NTHash(password: password)
            var client = ClientHandshake(
                account: try NTLMAccount(user: user, domain: domain, hash: hash),
                options: .init(targetName: text(Self.letters, 0...30, &random))
            )
            var server = ServerHandshake(
                options: .init(
                    computerName: text(Self.letters, 1...15, &random),
                    dnsDomainName: text(Self.letters, 0...30, &random),
                    sendsTimestamp: random.next() % 4 != 0
                )
            )
            let negotiate = client.negotiate()
            let challenge = try server.challenge(
                to: negotiate.span,
                now: Self.now,
                serverChallenge: random.next()
            )
            let nonces = try ClientNonces(
                clientChallenge: random.bytes(8).span,
                exportedSessionKey: random.bytes(16).span
            )
            let bytes = try client.authenticate(challenge: challenge.span, now: Self.now, nonces: nonces)
            let message = try AuthenticateMessage(reading: bytes)
            let keys = try #require(client.sessionKeys)
            expected.append(
                Reading(
                    ntHash: hash.withBytes { Hexadecimal.encode($0) },
                    ntowfV2: hexadecimal(NTOWFv2.bytes(hash: hash, user: user, domain: domain).bytes),
                    ntProofStr: hexadecimal(try NTLMv2Response(reading: message.ntChallengeResponse).ntProofStr),
                    sessionBaseKey: keys.sessionBaseKey.withBytes { Hexadecimal.encode($0) },
                    exportedSessionKey: keys.exportedSessionKey.withBytes { Hexadecimal.encode($0) },
                    mic: message.messageIntegrityCode.map { hexadecimal($0) }
                )
            )
            cases.append(
                Case(
                    number: number,
                    peer: number % 2 == 0 ? "pyspnego" : "impacket",
                    task: "read",
                    user: user,
                    domain: domain,
                    password: password,
                    negotiate: hexadecimal(negotiate),
                    challenge: hexadecimal(challenge),
                    authenticate: hexadecimal(bytes)
                )
            )
        }
        let readings: [Reading] = try answers(cases)
        #expect(readings.count == cases.count)
        var parted = 0
        for ((each, ours), theirs) in zip(zip(cases, expected), readings) {
            var found = theirs
            if ours.mic == nil { found.mic = nil }
            found.fullUppercaseNTOWFv2 = nil
            #expect(found == ours, "case \(each.number): \(each.peer), \(each.domain)\\\(each.user)")
            // Where Python's full mapping parts from Windows' simple one, its own key is another one; the rule's is
            // ours.
            let isDiverging = each.user.unicodeScalars.contains { diverging.contains(String($0)) }
            #expect(isDiverging == (theirs.fullUppercaseNTOWFv2 != ours.ntowfV2), "case \(each.number): \(each.user)")
            parted += isDiverging ? 1 : 0
        }
        #expect(parted > cases.count / 5 && expected.contains { $0.mic == nil } && expected.contains { $0.mic != nil })
    }

    @Test("Theirs, verified by our server: same keys, and not with another password") func theirsVerifiedByUs() throws {
        var random = SeededGenerator(seed: 2)
        let greeting = try greeting()
        var cases: [Case] = []
        var servers: [ServerHandshake] = []
        for number in 0..<(2 * Self.perPeerAndDirection) {
            let (user, domain, password) = person(greeting.diverging, &random)
            let isPyspnego = number % 2 == 0
            let negotiate = try Hexadecimal.decode(isPyspnego ? greeting.pyspnego : greeting.impacket)
            // impacket writes no integrity code, and a clock of its own.
            var server = ServerHandshake(
                options: .init(
                    computerName: text(Self.letters, 1...15, &random),
                    dnsComputerName: "wiki.acme.example",
                    sendsTimestamp: isPyspnego,
                    maximumClockSkewSeconds: isPyspnego ? 60 : .max
                )
            )
            let challenge = try server.challenge(to: negotiate.span, now: Self.now, serverChallenge: random.next())
            servers.append(server)
            cases.append(
                Case(
                    number: number,
                    peer: isPyspnego ? "pyspnego" : "impacket",
                    task: "write",
                    user: user,
                    domain: domain,
                    password: password,
                    negotiate: hexadecimal(negotiate),
                    challenge: hexadecimal(challenge)
                )
            )
        }
        let writings: [Writing] = try answers(cases)
        #expect(writings.count == cases.count)
        let wrong = try NTHash(password: "another password")
        for ((each, server), theirs) in zip(zip(cases, servers), writings) {
            let note: Comment = "case \(each.number): \(each.peer), \(each.domain)\\\(each.user)"
            let authenticate = try Hexadecimal.decode(theirs.authenticate)
            var first = server.forked()
            let hash = try NTHash(password: each.password)
            do {
                let client = try first.verify(authenticate: authenticate.span, now: Self.now) { _, _ in hash }
                #expect(client.user == each.user && client.domain == each.domain, note)
                #expect(client.hasMessageIntegrityCode == (each.peer == "pyspnego"), note)
            } catch {
                Issue.record("\(note): \(error)")
            }
            let exported = first.sessionKeys?.exportedSessionKey.withBytes { Hexadecimal.encode($0) }
            #expect(exported == theirs.exportedSessionKey, note)
            var second = server.forked()
            #expect(throws: ServerHandshakeError.rejected, note) {
                try second.verify(authenticate: authenticate.span, now: Self.now) { _, _ in wrong }
            }
        }
    }
}

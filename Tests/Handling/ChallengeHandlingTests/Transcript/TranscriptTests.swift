import AllowedSites
import Foundation
import HTTPTypes
import LiveServers
import Sallyport
import Testing
import WireFormat

@testable import ChallengeHandling

@Suite struct TranscriptTests {
    let wiki: Origin

    init() throws { wiki = try Origin(parsing: "https://wiki.acme.example") }

    /// The transcript of a request with an NTLM handshake, and the values of its answers.
    func handshake(_ names: Transcript.Names = .kept) throws -> (text: String, values: [String]) {
        let recorder = EventRecorder()
        let handler = try ChallengeHandler(still: TestProfile.make(), observer: recorder.observer)
        let request = OutgoingRequest(origin: wiki, target: "/docs/a?token=Query-Secret")
        var authentication = handler.authentication(of: request)
        _ = authentication.begin()
        var values: [String] = []
        let realm = "Basic realm=\"Acme Wiki\""
        for fields in [TestProfile.fields("NTLM", realm), TestProfile.fields("NTLM \(try TestChallenge.ntlm())"), [:]] {
            let status = fields.isEmpty ? 200 : 401
            let step = authentication.received(status: status, fields: fields, on: ConnectionTraits(id: 3))
            if case .send(let sending) = step, let value = sending.authorization?.value { values.append(value) }
        }
        var transcript = Transcript(names: names)
        var text = ""
        for event in recorder.all { text += String(decoding: transcript.record(event), as: UTF8.self) }
        return (text + String(decoding: transcript.finish(), as: UTF8.self), values)
    }

    @Test("A request becomes one line for each response, after a header and the profile") func lines() throws {
        let (text, values) = try handshake()
        let lines = text.split(separator: "\n")
        #expect(lines.count == 6)
        #expect(lines[0].contains(#""format":"sallyport-challenge-recording","version":1"#))
        #expect(lines[0].contains(#""redacted":true"#))
        #expect(lines[1].hasPrefix(#"{"type":"profile""#) && lines[1].contains(#""user":"jdoe""#))
        #expect(lines[2].contains(#""what":"lockout""#))
        #expect(lines[3].contains(#""target":"/docs/a?<redacted>""#))
        #expect(lines[3].contains(#""answer":{"field":"Authorization","value":"ntlm <redacted>","account":"jdoe"}"#))
        #expect(lines[3].contains(#""offers":[["ntlm","chosen"],["basic","less-preferred"]]"#))
        #expect(lines[5].contains(#""expected":{"verdict":"accepted","reason":null}"#))
        #expect(values.count == 2)
        for secret in values.map({ $0.dropFirst("NTLM ".count) }) + ["Correct-Horse", "Query-Secret"] {
            #expect(!text.contains(secret))
        }
    }

    @Test("With pseudonyms no name of a host, user, account, domain or realm is left") func pseudonyms() throws {
        let (text, _) = try handshake(.pseudonyms(TranscriptKey(bytes: [1, 2, 3])))
        for name in ["acme", "wiki", "jdoe", "builder", "ACME", "Acme", "quarantine", "WIKI"] {
            #expect(!text.contains(name))
        }
        // Neither in the base64 of an NTLM message, which has names in UTF-16LE.
        let start = try #require(text.range(of: "ntlm TlRM")).upperBound
        let token = "TlRM" + text[start...].prefix { $0 != "\"" }
        let message = try Base64.decode(String(token)).filter { $0 != 0 }
        #expect(!String(decoding: message, as: UTF8.self).uppercased().contains("ACME"))
        // Wildcards still cover their hosts.
        let hidden = TranscriptNames(.pseudonyms(TranscriptKey(bytes: [1, 2, 3])))
        let host = hidden.host(wiki.host)
        #expect(hidden.rule("*.acme.example") == "*." + host.split(separator: ".").dropFirst().joined(separator: "."))
        #expect(try Origin(parsing: hidden.origin(wiki)).port == 443)
        // Stable with one key, others with another.
        #expect(TranscriptNames(.pseudonyms(TranscriptKey(bytes: [1, 2, 3]))).host(wiki.host) == host)
        #expect(text.contains(host))
        #expect(TranscriptNames(.pseudonyms(TranscriptKey())).host(wiki.host) != host)
    }

    @Test("Pseudonyms of addresses keep common prefixes, as long as they were and no longer") func addresses() throws {
        let names = TranscriptNames(.pseudonyms(TranscriptKey(bytes: [7])))
        func address(_ text: String) throws -> UInt32 {
            let host = try Origin(parsing: "http://\(names.hostText(text))").host
            guard case .ipv4(let address) = host.form else { return 0 }
            return address.rawValue
        }
        func shared(_ left: String, _ right: String) throws -> Int {
            (try address(left) ^ address(right)).leadingZeroBitCount
        }
        #expect(try shared("10.1.2.3", "10.1.2.3") == 32)
        #expect(try shared("10.1.2.3", "10.1.2.2") == 31)
        #expect(try shared("10.1.2.3", "10.1.200.3") == 16)
        #expect(try shared("10.1.2.3", "138.1.2.3") == 0)
        let network = names.rule("http://10.1.0.0/16")
        let list = try SiteTrie(compiling: SiteList(parsing: network, name: "x"))
        let inside = try Origin(parsing: "http://\(names.hostText("10.1.77.8"))")
        let outside = try Origin(parsing: "http://\(names.hostText("10.2.77.8"))")
        #expect(list.verdict(for: inside, path: "/").isAllowed && !list.verdict(for: outside, path: "/").isAllowed)
        let v6 = try Origin(parsing: "http://\(names.hostText("[2001:db8::1]"))")
        #expect(v6.host.isAddress)
    }

    @Test("A request that has not ended is written at the end, without the responses that no decision followed")
    func unfinished() throws {
        let recorder = EventRecorder()
        let handler = try ChallengeHandler(still: TestProfile.make(), observer: recorder.observer)
        var first = handler.authentication(of: OutgoingRequest(origin: wiki))
        _ = first.begin()
        _ = first.received(status: 401, fields: TestProfile.fields("NTLM"))
        var second = handler.authentication(of: OutgoingRequest(origin: wiki))
        _ = second.begin()
        _ = second.received(status: 401, fields: TestProfile.fields("NTLM"))
        var transcript = Transcript()
        var text = ""
        for event in recorder.all { text += String(decoding: transcript.record(event), as: UTF8.self) }
        #expect(text.split(separator: "\n").count == 2)
        let rest = String(decoding: transcript.finish(), as: UTF8.self)
        #expect(rest.split(separator: "\n").count == 1 && rest.contains(#""verdict":"answered""#))
        #expect(transcript.finish().isEmpty)
        _ = first.received(status: 200, fields: [:])
        _ = second.resume()
    }

    @Test("Requests beyond the bound push out the oldest") func bound() throws {
        var transcript = Transcript()
        let start = RequestStart(
            method: "GET",
            origin: wiki,
            path: "/",
            hasQuery: false,
            isBodyOnce: false,
            route: .direct,
            isProxyOnly: false,
            profile: 1
        )
        let response = ResponseSeen(
            status: 200,
            bodyWasSent: true,
            challenger: nil,
            offers: [],
            unreadableLines: 0,
            connection: ConnectionSeen(.http1),
            fields: [:]
        )
        let end = RequestEnd(outcome: .notChallenged, status: 200, duration: .zero)
        func record(_ number: UInt64, _ content: AuthenticationEvent.Content) -> Int {
            transcript.record(AuthenticationEvent(unixMicroseconds: 0, request: number, content: content))
                .count { $0 == UInt8(ascii: "\n") }
        }
        for number in 1...UInt64(Transcript.mostOpenRequests) + 1 {
            #expect(record(number, .started(start)) == 0)
            #expect(record(number, .response(response)) == 0)
        }
        #expect(record(1, .ended(end)) == 0, "left out")
        #expect(record(2, .ended(end)) == 2, "with the header")
    }
}

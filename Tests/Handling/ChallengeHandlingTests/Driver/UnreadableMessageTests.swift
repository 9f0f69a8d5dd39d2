import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import Negotiate
import Sallyport
import Testing

@testable import ChallengeHandling

/// Parties that answer the first message of a handshake, which says nothing of the password, with a message that cannot be read.
///
/// By the page of ChallengeHandling, the next of the account's schemes answers. curl 7.88.1 with `--anyauth` takes Digest before NTLM, and ends with
/// the status of the challenge where NTLM is taken and its CHALLENGE cannot be read (`NTLM TlRMTVNTUAACAAAA` beside Basic).
@Suite struct UnreadableMessageTests {
    /// A party that answers one scheme's messages with `message`, and accepts the others that it offers.
    struct Party {
        let scheme: String
        var message: String
        var others = [DeclinedSchemeTests.digest, DeclinedSchemeTests.basic]
        var status = 401
        /// The message comes with the first challenge, or after the one that depends on the password.
        var time = Time.afterNegotiate
        var manner = Manner.besideOthers

        /// How the message comes: beside the party's other offers, as the only line, as IIS sends its own, or with the end of its connection.
        enum Manner: CaseIterable { case besideOthers, alone, closing }

        enum Time { case atOnce, afterNegotiate, afterAuthenticate }

        func response(to answer: String?) throws -> (status: Int, fields: HTTPFields) {
            let name: HTTPField.Name = status == 407 ? .proxyAuthenticate : .wwwAuthenticate
            var lines: [String]
            switch answer {
            case nil: lines = [time == .atOnce ? message : scheme] + others
            case let answer? where answer.hasPrefix("\(scheme) "):
                let challenge = try "\(scheme) \(TestChallenge.ntlm())"
                // "NTLMSSP", a zero, and the first byte of the type: 3 is D. Within SPNEGO it is further behind.
                let isLast = answer.hasPrefix("\(scheme) TlRMTVNTUAAD")
                lines =
                    time == .afterAuthenticate && !isLast
                    ? [challenge] : [message] + (manner == .alone ? [] : others)
            case let answer?:
                let scheme = String(answer.prefix { $0 != " " })
                guard !others.contains(where: { $0.hasPrefix("\(scheme) ") }) else { return (200, [:]) }
                lines = [self.scheme] + others
            }
            lines.removeAll(where: \.isEmpty)
            var fields = HTTPFields()
            for line in lines { fields.append(HTTPField(name: name, value: line)) }
            if manner == .closing, lines.contains(message) { fields[.connection] = "close" }
            return (status, fields)
        }
    }

    typealias Run = DeclinedSchemeTests.Run

    func run(_ party: Party, _ handler: ChallengeHandler, by route: RequestRoute = .direct, http: Bool = false) throws
        -> Run
    {
        try DeclinedSchemeTests.run(handler, by: route, http: http) { try party.response(to: $0) }
    }

    private func handler(_ schemes: [AuthenticationScheme]) throws -> ChallengeHandler {
        try DeclinedSchemeTests().handler(schemes)
    }

    static let messages = [
        // No signature, three bytes too few for base64, nothing but padding, no token68 and no parameters either.
        "NTLM AAAA", "NTLM A", "NTLM ====", "NTLM !!!!",
        // An AUTHENTICATE, a NEGOTIATE, the head of a CHALLENGE, and parameters in place of a message.
        "NTLM TlRMTVNTUAADAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==",
        "NTLM TlRMTVNTUAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "NTLM TlRMTVNTUAACAAAA", #"NTLM realm="x""#,
        "Negotiate AAAA", "Negotiate A", "Negotiate !!!!", "Negotiate TlRMTVNTUAADAAAA",
        // SPNEGO: cut off, a client's first token, a response without anything, one with "abc" as NTLM's message.
        "Negotiate oQwwCg==", "Negotiate YAgGBisGAQUFAg==", "Negotiate oQIwAA==",
        "Negotiate oRwwGqADCgEBoQwGCisGAQQBgjcCAgqiBQQDYWJj",
        // accept-incomplete and request-mic without a token, and accept-completed.
        "Negotiate oQcwBaADCgEB", "Negotiate oQcwBaADCgED", "Negotiate oQcwBaADCgEA",
    ]

    @Test(
        "The next of the account's schemes answers on a new connection, also if the message closes its own",
        arguments: messages,
        [Party.Manner.besideOthers, .closing]
    )
    func next(_ message: String, _ manner: Party.Manner) throws {
        let name = String(message.prefix { $0 != " " })
        let proxy = try Origin(parsing: "http://proxy.acme.example:3128")
        for route: RequestRoute in [.direct, .forwarded(by: proxy), .connect(to: proxy)] {
            let status = if case .direct = route { 401 } else { 407 }
            let party = Party(scheme: name, message: message, status: status, manner: manner)
            for (next, answer) in [(AuthenticationScheme.digest, "Digest"), (.basic, "Basic")] {
                let run = try run(party, handler([AuthenticationScheme(name), next]), by: route)
                #expect(run.schemes == ["-", name, answer])
                #expect(run.connections.last == .new)
                #expect(run.outcome == .accepted)
            }
        }
    }

    @Test("A message that comes alone withdraws the other offers", arguments: messages) func alone(_ message: String)
        throws
    {
        let name = String(message.prefix { $0 != " " })
        let party = Party(scheme: name, message: message, manner: .alone)
        let run = try run(party, handler([AuthenticationScheme(name), .digest, .basic]))
        #expect(run.schemes == ["-", name])
        #expect(run.refusal != nil)
    }

    @Test("A CHALLENGE that can be read and closes its connection begins the handshake anew, once")
    func readableAndClosing() throws {
        let party = Party(scheme: "NTLM", message: "NTLM \(try TestChallenge.ntlm())", manner: .closing)
        let run = try run(party, handler([.ntlm, .digest]), http: true)
        #expect(run.schemes == ["-", "NTLM", "-", "NTLM"])
        #expect(run.refusal == .exchangeFailed(account: "jdoe", .connectionCloses))
    }

    @Test("An offer that names the scheme no more declines it", arguments: ["NTLM", "Negotiate"])
    func withdrawn(name: String) throws {
        let run = try run(Party(scheme: name, message: ""), handler([AuthenticationScheme(name), .digest]))
        #expect(run.schemes == ["-", name, "Digest"])
        #expect(run.outcome == .accepted)
    }

    @Test("A message in the first challenge, where none is due, declines the scheme", arguments: ["NTLM", "Negotiate"])
    func atOnce(name: String) throws {
        for message in ["AAAA", try TestChallenge.ntlm()] {
            let party = Party(scheme: name, message: "\(name) \(message)", time: .atOnce)
            let run = try run(party, handler([AuthenticationScheme(name), .digest]))
            #expect(run.schemes == ["-", "Digest"])
            #expect(run.outcome == .accepted)
        }
    }

    @Test("After the message that depends on the password nothing weaker follows", arguments: messages)
    func afterPassword(_ message: String) throws {
        let name = String(message.prefix { $0 != " " })
        let party = Party(scheme: name, message: message, time: .afterAuthenticate)
        let run = try run(party, handler([AuthenticationScheme(name), .digest, .basic]))
        #expect(run.schemes == ["-", name, name])
        #expect(run.refusal != nil)
    }

    @Test(
        "After the message that depends on the password it is a refusal: the password goes out once",
        arguments: messages + ["Negotiate oQ4wDKADCgEBoQUGAyoDBA=="],
        Party.Manner.allCases
    )
    func countsAsRefusal(_ message: String, _ manner: Party.Manner) throws {
        let name = String(message.prefix { $0 != " " })
        let handler = try handler([AuthenticationScheme(name)])
        let party = Party(scheme: name, message: message, time: .afterAuthenticate, manner: manner)
        #expect(try run(party, handler).schemes == ["-", name, name])
        for _ in 0..<4 {
            let later = try run(party, handler)
            #expect(later.schemes == ["-"])
            #expect(later.refusal == .budgetSpent(account: "jdoe"))
        }
    }

    @Test("Over plain http a party that has accepted the scheme gets no weaker one by rubbish", arguments: messages)
    func afterSuccess(_ message: String) throws {
        let name = String(message.prefix { $0 != " " })
        let handler = try handler([AuthenticationScheme(name), .digest, .basic])
        let challenge = try "\(name) \(TestChallenge.ntlm())"
        // It accepts the AUTHENTICATE.
        var (isAccepted, sends) = (false, 0)
        var first = handler.authentication(of: OutgoingRequest(origin: try Origin(parsing: "http://wiki.acme.example")))
        var step = first.begin()
        while case .send = step {
            let fields: HTTPFields = sends == 2 ? [:] : [.wwwAuthenticate: sends == 0 ? name : challenge]
            step = first.received(status: sends == 2 ? 200 : 401, fields: fields, on: ConnectionTraits(id: 1))
            sends += 1
        }
        if case .deliver(.accepted) = step { isAccepted = true }
        #expect(isAccepted)
        for time in [Party.Time.afterNegotiate, .atOnce] {
            let run = try run(Party(scheme: name, message: message, time: time), handler, http: true)
            #expect(!run.schemes.contains("Digest") && !run.schemes.contains("Basic"), "\(run.schemes)")
            #expect(run.refusal != nil)
        }
    }

    @Test("Over plain http a party that has offered Digest gets no Basic by rubbish in the name of NTLM")
    func afterDigest() throws {
        let handler = try handler([.ntlm, .digest, .basic])
        var party = Party(scheme: "NTLM", message: "NTLM AAAA")
        #expect(try run(party, handler, http: true).schemes == ["-", "NTLM", "Digest"])
        party.others = [DeclinedSchemeTests.basic]
        let later = try run(party, handler, http: true)
        #expect(!later.schemes.contains("Basic"))
        #expect(later.refusal == .downgraded(account: "jdoe"))
    }

    @Test("If all schemes fail, the error names what each said") func allFail() throws {
        let alone = try run(Party(scheme: "NTLM", message: "NTLM AAAA"), handler([.ntlm]))
        #expect(alone.refusal == .exchangeFailed(account: "jdoe", .handshake(.message(.wrongSignature))))
        var party = Party(scheme: "NTLM", message: "NTLM !!!!")
        party.others = ["Negotiate AAAA"]
        let both = try #require(run(party, handler([.ntlm, .negotiate])).refusal)
        let text = both.description
        #expect(text.contains("ntlm: WWW-Authenticate, scheme ntlm: ") && text.contains("negotiate: "), "\(text)")
        #expect(!text.contains("Correct-Horse"))
    }

    @Test("What looks like tampering ends the request")
    func tampering() throws {
        // RFC 4178 section 4.2.2: supportedMech is 1.2.3.4, which no client offers.
        let party = Party(scheme: "Negotiate", message: "Negotiate oQ4wDKADCgEBoQUGAyoDBA==")
        let run = try run(party, handler([.negotiate, .digest, .basic]))
        #expect(run.schemes == ["-", "Negotiate"])
        #expect(run.refusal == .exchangeFailed(account: "jdoe", .negotiation(.mechanismNotOffered)))
    }

    @Test("Rubbish is no bad log-on") func budget() throws {
        let handler = try handler([.ntlm])
        for _ in 0..<20 {
            #expect(try run(Party(scheme: "NTLM", message: "NTLM AAAA"), handler).refusal != nil)
        }
        let other = try self.handler([.ntlm, .basic])
        #expect(try run(Party(scheme: "NTLM", message: "NTLM AAAA"), other).outcome == .accepted)
    }
}

import HTTPAuthentication
import HTTPTypes
import Sallyport
import Testing

@testable import ChallengeHandling

/// Parties that took an answer in advance before, and now refuse it and offer another scheme: their operator has changed the rules, or the
/// password has changed as well.
@Suite struct ChangedOffersTests {
    /// A party that offers NTLM alone.
    private final class Party {
        let name: HTTPField.Name
        let status: Int
        let knowsPassword: Bool
        /// The answers with a password that it has refused.
        private(set) var badLogOns = 0

        init(_ party: ChallengedParty, knowsPassword: Bool) {
            (name, status) = (party == .proxy ? .proxyAuthenticate : .wwwAuthenticate, party.status)
            self.knowsPassword = knowsPassword
        }

        func response(to answer: String?) throws -> (status: Int, fields: HTTPFields) {
            if let answer, answer.hasPrefix("NTLM TlRMTVNTUAAB") {
                return (status, TestProfile.fields("NTLM \(try TestChallenge.ntlm())", name: name))
            }
            if knowsPassword, answer?.hasPrefix("NTLM") == true { return (200, [:]) }
            // The directory counts what it is asked with: a page of the party that takes Basic no more may still ask it.
            if answer != nil, !knowsPassword { badLogOns += 1 }
            return (status, TestProfile.fields("NTLM", name: name))
        }
    }

    private static func run(
        _ handler: ChallengeHandler,
        _ party: ChallengedParty,
        _ path: String,
        _ respond: (String?) throws -> (status: Int, fields: HTTPFields)
    ) throws -> (schemes: [String], outcome: RequestOutcome?) {
        let origin = try Origin(parsing: "https://wiki.acme.example")
        let proxy = try Origin(parsing: "http://proxy.acme.example:3128")
        let route: RequestRoute = party == .proxy ? .connect(to: proxy) : .direct
        var authentication = handler.authentication(of: OutgoingRequest(origin: origin, target: path), by: route)
        var step = authentication.begin()
        var schemes: [String] = []
        while case .send(let sending) = step {
            let field = sending.fields.first?.value
            schemes.append(field?.split(separator: " ").first.map(String.init) ?? "-")
            let (status, fields) = try respond(field)
            step = authentication.received(status: status, fields: fields, on: ConnectionTraits(id: 1))
        }
        guard case .deliver(let outcome) = step else { return (schemes, nil) }
        return (schemes, outcome)
    }

    private static func proven(_ party: ChallengedParty) throws -> ChallengeHandler {
        let handler = try DeclinedSchemeTests().handler([.ntlm, .basic], allowsDowngrade: true)
        let name: HTTPField.Name = party == .proxy ? .proxyAuthenticate : .wwwAuthenticate
        for path in ["/a", "/b"] {
            let (_, outcome) = try run(handler, party, path) {
                $0 == nil ? (party.status, TestProfile.fields(DeclinedSchemeTests.basic, name: name)) : (200, [:])
            }
            #expect(outcome == .accepted)
        }
        return handler
    }

    @Test("The right password goes on with the new scheme", arguments: [ChallengedParty.origin, .proxy])
    func right(party: ChallengedParty) throws {
        let (handler, server) = (try Self.proven(party), Party(party, knowsPassword: true))
        let first = try Self.run(handler, party, "/c", server.response)
        #expect(first.schemes == ["Basic", "NTLM", "NTLM"] && first.outcome == .accepted, "\(first)")
        for path in ["/d", "/e"] { #expect(try Self.run(handler, party, path, server.response).outcome == .accepted) }
    }

    @Test(
        "A password that has changed as well costs two bad log-ons at a proxy; an origin's other page is tried once more, as after any refusal",
        arguments: [(ChallengedParty.proxy, 2), (.origin, 3)]
    )
    func wrong(party: ChallengedParty, badLogOns: Int) throws {
        let (handler, server) = (try Self.proven(party), Party(party, knowsPassword: false))
        for path in ["/c", "/d", "/c", "/e", "/f"] {
            #expect(try Self.run(handler, party, path, server.response).outcome != .accepted)
        }
        #expect(server.badLogOns == badLogOns)
    }
}

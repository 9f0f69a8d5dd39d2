import HTTPAuthentication
import HTTPTypes
import TestLimits
import Testing
import WireFormat

@Suite("Digest agrees with independent implementations", .inTurn)
struct DigestOracleTests {
    /// What `digest_oracle.py` prints.
    struct Case: Decodable {
        struct Request: Decodable {
            var method, target, body, answered, response, proof: String
        }

        var seed: Int
        var challenge, user, password, clientNonce, nextNonce, nextClientNonce: String
        var qop, userHash: String?
        var requests, nextRequests: [Request]
    }

    private static func nonces(_ clientNonce: String) -> ExchangeNonces {
        ExchangeNonces(ntlm: nil, digestClientNonce: clientNonce, time: nil)
    }

    private static func information(_ parameters: String) throws -> HTTPFields {
        var fields = HTTPFields()
        fields[try #require(HTTPField.Name("Authentication-Info"))] = parameters
        return fields
    }

    private static func parameters(_ answer: DigestAnswer) throws -> Challenge {
        try #require(try ChallengeParser.parse(answer.value.text).first)
    }

    @Test(
        "The formulas of RFC 7616 in Python: all algorithms and qualities, sessions, nextnonce, proofs",
        .enabled(if: PythonOracle.isThere, PythonOracle.isMissing)
    )
    func formulas() throws {
        let cases: [Case] = try PythonOracle.lines("digest_oracle.py", "400")
        #expect(cases.count == 400)
        for each in cases {
            let note: Comment = "seed \(each.seed)"
            let first = try #require(each.requests.first)
            let request = ExchangeRequest(
                method: first.method,
                target: first.target,
                host: "wiki.example",
                body: .bytes(try Hexadecimal.decode(first.body))
            )
            var exchange = AuthenticationExchange.digest(
                .init(each.user, each.password),
                party: .origin,
                request: request,
                rules: DigestRules(allowsMissingQop: true, demandsServerProof: true)
            )
            let fields = HTTPFields([
                HTTPField(name: .wwwAuthenticate, value: try Hexadecimal.decode(each.challenge))
            ])
            let offer = OfferedChallenges(by: .origin, in: fields)
            let nonces = Self.nonces(each.clientNonce)
            let step = exchange.received(status: 401, fields: fields, offer: offer, nonces: nonces)
            let parameters = try #require(step.parameters, "\(step) \(note)")
            #expect(parameters["response"] == first.response, note)
            #expect(parameters["qop"] == each.qop, note)
            if let userHash = each.userHash { #expect(parameters["username"] == userHash, note) }
            let accepted = exchange.received(
                status: 200,
                fields: try Self.information("rspauth=\"\(first.proof)\""),
                body: .bytes(try Hexadecimal.decode(first.answered))
            )
            #expect(accepted == .done, note)
            try inAdvance(each, &exchange, note)
        }
    }

    private func inAdvance(_ each: Case, _ exchange: inout AuthenticationExchange, _ note: Comment) throws {
        guard var session = exchange.takeDigestSession() else { return #expect(Bool(false), note) }
        let isTakenTwice = exchange.takeDigestSession() != nil
        #expect(!isTakenTwice, note)
        let runs = [
            (each.requests.dropFirst(), each.nextNonce, 2), (each.nextRequests[...], each.nextNonce, 1),
        ]
        for (requests, nextNonce, start) in runs {
            for (index, request) in requests.enumerated() {
                let answer = try session.answer(
                    method: request.method,
                    target: request.target,
                    body: .bytes(try Hexadecimal.decode(request.body))
                )
                let parameters = try Self.parameters(answer)
                #expect(parameters["response"] == request.response, note)
                if each.qop != nil {
                    #expect(parameters["nc"].map { UInt32($0, radix: 16) } == UInt32(start + index), note)
                }
                var information = "rspauth=\"\(request.proof)\""
                if index == requests.count - 1 { information += ", nextnonce=\"\(nextNonce)\"" }
                let step = session.received(
                    status: 200,
                    fields: try Self.information(information),
                    to: answer,
                    body: .bytes(try Hexadecimal.decode(request.answered)),
                    nonces: Self.nonces(each.nextClientNonce)
                )
                #expect(step == .done, note)
            }
        }
    }

    /// What `requests_answers.py` prints.
    struct RequestsAnswer: Decodable {
        var seed: Int
        var user, password, method, target, answer, challenge: String
    }

    @Test("The PyPI package requests", .enabled(if: PythonOracle.hasRequests, PythonOracle.hasNoRequests))
    func requests() throws {
        let cases: [RequestsAnswer] = try PythonOracle.lines("requests_answers.py", "100")
        #expect(cases.count == 100)
        for each in cases {
            let theirs = try #require(try ChallengeParser.parse(each.answer).first)
            let request = ExchangeRequest(method: each.method, target: each.target, host: "wiki.example")
            var exchange = AuthenticationExchange.digest(
                .init(each.user, each.password),
                party: .origin,
                request: request
            )
            let fields = HTTPFields.challenge(each.challenge)
            let offer = OfferedChallenges(by: .origin, in: fields)
            let nonces = Self.nonces(try #require(theirs["cnonce"]))
            let step = exchange.received(status: 401, fields: fields, offer: offer, nonces: nonces)
            let ours = try #require(step.parameters)
            #expect(Set(ours.parameters.map(\.name)) == Set(theirs.parameters.map(\.name)), "seed \(each.seed)")
            for parameter in theirs.parameters {
                #expect(ours[parameter.name] == parameter.value, "seed \(each.seed): \(parameter.name)")
            }
        }
    }
}

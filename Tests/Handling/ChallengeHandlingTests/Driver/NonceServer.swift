import HTTPAuthentication
import HTTPTypes
import Hostnames
import Sallyport
import Testing

@testable import ChallengeHandling

/// A party that takes answers to its own nonces only, and counts wrong passwords.
final class NonceServer {
    /// Of its nonces: another server's begin with another name.
    let name: String
    let party: ChallengedParty
    var knowsPassword = true
    /// A target that the account may not see.
    var forbidden: String?
    /// What follows the challenge's parameters.
    var more = ""
    /// What follows them in a challenge to an answer.
    var moreToAnswers = ""
    /// The same in a challenge to an answer whose nonce is lost.
    var moreToLost = ""
    var realm = "x"
    /// Whether each challenge is for a realm of its own.
    var changesRealm = false
    /// How many answers each nonce is good for.
    var uses = Int.max
    /// Whether it knows its clients by `opaque`, and of each the last nonce that it gave, which is good for one answer: as
    /// Apache does with `AuthDigestNonceLifetime 0`.
    var knowsClients = false
    private var lastNonces: [Substring: String] = [:]
    /// Whether each challenge has a nonce of its own.
    var sendsNewNonces = true
    /// Whether a success has the information field, and whether that brings the next nonce.
    var sendsInformation = false
    var sendsNextNonces = false
    private(set) var badLogOns = 0
    private(set) var unknownNonces = 0
    private var used: [Substring: Int] = [:]
    private var nonces = 0

    init(_ name: String, _ party: ChallengedParty = .origin) { (self.name, self.party) = (name, party) }

    func response(to answer: String?, _ target: String) -> (status: Int, fields: HTTPFields) {
        guard let answer else { return challenge(more, Substring("client-\(lastNonces.count)")) }
        let (nonce, client) = (value("nonce", in: answer), value("opaque", in: answer))
        guard nonce.hasPrefix("\(name)-"), used[nonce, default: 0] < uses,
            changesRealm || value("realm", in: answer) == realm,
            !knowsClients || lastNonces[client] == String(nonce)
        else {
            unknownNonces += 1
            return challenge(more + moreToAnswers + moreToLost, client)
        }
        guard knowsPassword else {
            badLogOns += 1
            return challenge(more + moreToAnswers, client)
        }
        guard target != forbidden else { return challenge(more + moreToAnswers, client) }
        used[nonce, default: 0] += 1
        return (200, success(client))
    }

    private func value(_ parameter: String, in answer: String) -> Substring {
        let start = answer.firstRange(of: parameter + "=\"")?.upperBound ?? answer.endIndex
        return answer[start...].prefix { $0 != "\"" }
    }

    private func newNonce(_ client: Substring) -> String {
        if sendsNewNonces { nonces += 1 }
        let nonce = "\(name)-\(nonces)"
        if knowsClients { lastNonces[client] = nonce }
        return nonce
    }

    private func challenge(_ more: String, _ client: Substring) -> (status: Int, fields: HTTPFields) {
        let nonce = newNonce(client)
        let more = knowsClients ? #", opaque="\#(client)""# + more : more
        let realm = realm + (changesRealm ? nonce : "")
        let challenge = #"Digest realm="\#(realm)", nonce="\#(nonce)", qop="auth", algorithm=SHA-256"# + more
        let field: HTTPField.Name = party == .proxy ? .proxyAuthenticate : .wwwAuthenticate
        return (party.status, TestProfile.fields(challenge, name: field))
    }

    private func success(_ client: Substring) -> HTTPFields {
        guard sendsInformation || sendsNextNonces else { return [:] }
        return TestProfile.fields(
            sendsNextNonces ? #"nextnonce="\#(newNonce(client))""# : "qop=auth",
            name: party.informationField
        )
    }
}

/// Requests with Digest to ``NonceServer``s, under a clock that stands still.
struct NonceWorld {
    let clock = ManualClock()
    let handler: ChallengeHandler

    init(oneAtATime: Bool = false) throws {
        var profile = try TestProfile.make(schemes: [.digest])
        profile.accounts[0].allowsCleartext = true
        profile.lockout.isOneAtATime = oneAtATime
        handler = ChallengeHandler(try CompiledProfile(profile, at: 0), clock: clock)
    }

    /// Longer than the time after a success in which answers go out in advance.
    func passQuietTime() { clock.advance(by: .milliseconds(300)) }

    func authentication(
        _ server: NonceServer,
        _ target: String,
        _ body: OutgoingRequest.Body = .none
    ) throws -> RequestAuthentication {
        guard server.party == .proxy else {
            let origin = try Origin(parsing: "https://wiki.acme.example")
            return handler.authentication(of: OutgoingRequest(origin: origin, target: target, body: body))
        }
        let proxy = try Origin(parsing: "http://proxy.acme.example:3128")
        let origin = try Origin(parsing: "http://www.other.example")
        let request = OutgoingRequest(origin: origin, target: target, body: body)
        return handler.authentication(of: request, by: .forwarded(by: proxy))
    }

    static func answer(_ sending: RequestSending) -> String? { sending.fields.first?.value }

    /// Sends one request, whose messages all reach the same server, as on one connection.
    ///
    /// - Parameter sendsBody: whether a body that can be sent once leaves before the response.
    func run(
        _ server: NonceServer,
        _ target: String = "/a",
        _ body: OutgoingRequest.Body = .none,
        sendsBody: Bool = true
    ) throws -> (sends: Int, outcome: RequestOutcome?) {
        var authentication = try authentication(server, target, body)
        var step = authentication.begin()
        var sends = 0
        while case .send(let sending) = step {
            sends += 1
            let (status, fields) = server.response(to: Self.answer(sending), target)
            step = authentication.received(status: status, fields: fields, bodyWasSent: sendsBody || status == 200)
        }
        guard case .deliver(let outcome) = step else { return (sends, nil) }
        return (sends, outcome)
    }

    /// Sends requests to `server` that are all under way before the first response comes.
    func runAtOnce(_ count: Int, _ server: NonceServer) throws -> [RequestOutcome] {
        let load = try RequestLoad(count) { number in try authentication(server, "/\(number)") }
        load.run { sending, number in server.response(to: Self.answer(sending), "/\(number)") }
        return load.outcomes
    }

    static func refused(by party: ChallengedParty = .origin) -> RequestOutcome {
        .withheld(.credentialsRefused(account: "jdoe"), by: party)
    }
}

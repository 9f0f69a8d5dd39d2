import HTTPAuthentication
import HTTPTypes
import Hostnames
import Sallyport
import Testing

@testable import ChallengeHandling

/// Requests of which only the proxy is answered.
@Suite struct RelayedRequestTests {
    private static let target = "/reports/q3.html?sheet=2"
    private let origin: Origin
    private let proxy: Origin

    init() throws {
        origin = try Origin(parsing: "http://www.partner.example:8080")
        proxy = try Origin(parsing: "http://proxy.acme.example:3128")
    }

    private static func handler(_ scheme: AuthenticationScheme) throws -> ChallengeHandler {
        var profile = try TestProfile.make(schemes: [scheme])
        profile.accounts[0].account = TestProfile.account("jdoe", domain: nil)
        profile.accounts[0].allowsCleartext = true
        return try ChallengeHandler(still: profile)
    }

    private func request(isDescribed: Bool) -> OutgoingRequest {
        isDescribed
            ? OutgoingRequest(origin: origin, target: Self.target)
            : .toBeRelayed(origin: origin, method: "GET", target: Self.target, body: .none)
    }

    /// The sends of a request that the proxy challenges unless it has an answer.
    private func sends(
        _ handler: ChallengeHandler,
        _ challenge: String,
        by route: RequestRoute,
        isDescribed: Bool
    ) throws -> [RequestSending] {
        var authentication = handler.proxyAuthentication(of: request(isDescribed: isDescribed), by: route)
        var (step, sends) = (authentication.begin(), [RequestSending]())
        while case .send(let sending) = step {
            sends.append(sending)
            let nonces = ExchangeNonces(ntlm: nil, digestClientNonce: "0a4f113b", time: FileTime(unixSeconds: 0))
            step = authentication.received(
                status: sending.hasAnswer ? 200 : 407,
                fields: sending.hasAnswer ? [:] : TestProfile.fields(challenge, name: .proxyAuthenticate),
                on: .http1,
                nonces: nonces
            )
        }
        guard case .deliver(.accepted) = step else {
            Issue.record("\(step)")
            return sends
        }
        return sends
    }

    @Test("The proxy gets the same as of a request whose origin is described", arguments: ["Basic", "Digest"])
    func sameSends(scheme: String) throws {
        let parameters =
            scheme == "Basic"
            ? "" : ", nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", qop=\"auth\", algorithm=SHA-256"
        let challenge = "\(scheme) realm=\"proxy\"\(parameters)"
        for route in [RequestRoute.forwarded(by: proxy), .connect(to: proxy)] {
            var found: [[[HTTPField]]] = []
            for isDescribed in [true, false] {
                let handler = try Self.handler(AuthenticationScheme(scheme))
                let first = try sends(handler, challenge, by: route, isDescribed: isDescribed)
                #expect(first.map(\.hasAnswer) == [false, true])
                if scheme == "Basic" {
                    // In advance.
                    #expect(
                        try sends(handler, challenge, by: route, isDescribed: isDescribed).map(\.fields) == [
                            first[1].fields
                        ]
                    )
                }
                found.append(first.map(\.fields))
            }
            #expect(found[0] == found[1])
        }
        // RFC 7616 section 3.4: a proxy's answer signs the target as the proxy gets it.
        if scheme == "Digest" {
            let sent = try sends(Self.handler(.digest), challenge, by: .forwarded(by: proxy), isDescribed: false)
            let value = try #require(sent.last?.proxyAuthorization?.value)
            #expect(value.contains("uri=\"http://www.partner.example:8080\(Self.target)\""))
        }
    }

    @Test("The line of a repeated answer is ready, and is its field; that of a Digest answer is not")
    func readyLine() throws {
        let handler = try Self.handler(.basic)
        let challenge = "Basic realm=x"
        let first = try sends(handler, challenge, by: .forwarded(by: proxy), isDescribed: false)
        #expect(first.last?.readyLine == nil)
        let next = try #require(try sends(handler, challenge, by: .forwarded(by: proxy), isDescribed: false).first)
        // RFC 7617 section 2; the base64 form by coreutils.
        let line = "Proxy-Authorization: Basic amRvZTpDb3JyZWN0LUhvcnNl\r\n"
        #expect(next.readyLine.map { String(decoding: $0, as: UTF8.self) } == line)
        #expect(next.fields.map(\.value) == ["Basic amRvZTpDb3JyZWN0LUhvcnNl"])
        #expect(next.authorization == nil)
    }
}

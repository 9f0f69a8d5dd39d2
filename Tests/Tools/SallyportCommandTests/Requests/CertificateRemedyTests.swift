import Hostnames
import ProfileFiles
import Sallyport
import Testing

@testable import SallyportCommand

/// What a person reads where a server or a proxy got no client certificate.
@Suite struct CertificateRemedyTests {
    private let server: Origin
    private let proxy: Origin

    init() throws {
        server = try Origin(parsing: "https://wiki.acme.example")
        proxy = try Origin(parsing: "https://proxy.acme.example:3129")
    }

    private func remedy(profile: String? = nil) throws -> CertificateRemedy {
        let proxies = try ProxyChoice(option: "\(proxy)", isDirect: false, environment: [:])
        return CertificateRemedy(profile: profile, servedByOption: server, ways: RequestWays(proxies, nil, nil))
    }

    @Test("A proxy is called one, and --cert, which it does not get, is not its remedy") func proxies() throws {
        let remedy = try remedy()
        #expect(remedy.party(proxy) == "the proxy" && remedy.party(server) == "the server")
        #expect(
            remedy.text(.noCredential, for: proxy)
                == "--cert is for the server of the URL alone: name one in 'identities' of a profile (--profile) with \(proxy) in its 'sites'"
        )
        let other = try Origin(parsing: "https://other.acme.example")
        #expect(
            try self.remedy(profile: "corp.yaml").text(.noCredential, for: other)
                == "--cert is for the server of the URL alone: request this URL itself, or name one in 'identities' of the profile with "
                + "\(other) in its 'sites'"
        )
    }

    @Test("A person at a terminal is told what the command line can do") func choices() throws {
        let options = "present one with --cert FILE or --cert-identity NAME"
        #expect(
            try remedy().text(.identityDeclined, for: server)
                == "none was chosen: run the command again and choose one, or \(options)"
        )
        #expect(
            try remedy().text(.severalIdentities(["a", "b"]), for: server)
                == "several fit: choose one at a terminal, let 'sites' of one alone name \(server), or \(options)"
        )
    }

    @Test("A question that a person has ended is an answer, and explain has a step for its server") func cancelled()
        throws
    {
        let problem = RequestProblem.choiceCancelled(
            IdentityQuestion(origin: server, candidates: [], request: .unknown)
        )
        #expect(RequestFailure.isNo(problem))
        #expect(
            "\(problem)".hasSuffix(
                ", and the question was cancelled: run the command again to choose one, or name one with --cert FILE or --cert-identity NAME"
            )
        )
        let step = try #require(HandshakeIdentity(problem))
        #expect(step.origin == server && step.decision == .withhold(.severalIdentities([])))
    }

    @Test("An identity without a key is named with its line") func line() throws {
        let laptop = ProfileIdentity(
            name: "laptop",
            place: .pem("laptop.pem", key: nil),
            secret: nil,
            sites: ["wiki.acme.example"],
            line: "corp.yaml:5"
        )
        let remedy = CertificateRemedy(profile: "corp.yaml", identities: [laptop])
        #expect(remedy.shown("laptop") == "corp.yaml:5: identity \"laptop\"")
    }
}

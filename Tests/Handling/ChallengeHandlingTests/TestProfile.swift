import AllowedSites
import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import Sallyport
import Secrets

/// A small profile for tests: one domain account for the company, another account for one host.
enum TestProfile {
    static let sites = """
        *.acme.example
        *.acme.example:8443
        http://proxy.acme.example:3128
        !quarantine.acme.example
        """

    static func account(_ name: String, domain: String? = "ACME", password: String = "Correct-Horse") -> Account {
        Account(name: name, user: name, domain: domain, password: secret(password))
    }

    static func secret(_ text: String) -> SharedSecret {
        SharedSecret(SecretBytes(copying: [UInt8](text.utf8).span))
    }

    /// Requests of most tests name no server certificate, so the accounts may answer without channel binding.
    static func make(schemes: [AuthenticationScheme] = [.ntlm, .digest, .basic]) throws -> SecurityProfile {
        SecurityProfile(
            sites: try SiteList(parsing: sites, name: "test"),
            schemes: schemes,
            accounts: [
                .init(
                    account("jdoe"),
                    sites: ["*.acme.example", "*.acme.example:8443", "http://proxy.acme.example:3128"],
                    allowsUnbound: true
                ),
                .init(account("builder", domain: nil), sites: ["build.acme.example"]),
            ]
        )
    }

    static func handler(schemes: [AuthenticationScheme] = [.ntlm, .digest, .basic]) throws -> ChallengeHandler {
        try ChallengeHandler(still: make(schemes: schemes))
    }

    static func request(_ origin: String, _ target: String = "/") throws -> ChallengedRequest {
        ChallengedRequest(origin: try Origin(parsing: origin), method: "GET", target: target)
    }

    static func fields(_ challenges: String..., name: HTTPField.Name = .wwwAuthenticate) -> HTTPFields {
        var fields = HTTPFields()
        for challenge in challenges { fields.append(HTTPField(name: name, value: challenge)) }
        return fields
    }
}

extension ChallengeHandler {
    /// A handler for whose lock-out rules no time passes: some last for 100 ms, which a busy machine exceeds between two lines.
    convenience init(still profile: SecurityProfile, observer: EventObserver? = nil) throws(ProfileError) {
        self.init(try CompiledProfile(profile, at: 0), clock: ManualClock(), observer: observer)
    }
}

extension ChallengeDecision {
    var answer: ChallengeAnswer? {
        guard case .answer(let answer) = self else { return nil }
        return answer
    }

    var refusalCode: String? {
        if case .wait = self { return "wait" }
        guard case .withhold(let refusal) = self else { return nil }
        return refusal.code
    }
}

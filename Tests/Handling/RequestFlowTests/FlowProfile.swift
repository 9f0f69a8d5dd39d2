import AllowedSites
import ChallengeHandling
import Credentials
import HTTPAuthentication
import Secrets

/// One account of a domain, for a server and for the proxy before it.
enum FlowProfile {
    static let origin = "http://wiki.acme.example"
    static let proxy = "http://proxy.acme.example:3128"

    static func compiled(_ schemes: [AuthenticationScheme], demandsProof: Bool = false) throws -> CompiledProfile {
        let sites = [origin, proxy]
        let secret = SharedSecret(SecretBytes(copying: [UInt8]("Correct-Horse".utf8).span))
        let account = Account(name: "jdoe", user: "jdoe", domain: "ACME", password: secret)
        return try CompiledProfile(
            SecurityProfile(
                sites: try SiteList(parsing: sites.joined(separator: "\n"), name: "test"),
                schemes: schemes,
                accounts: [
                    .init(
                        account,
                        sites: sites,
                        allowsCleartext: true,
                        allowsUnbound: true,
                        digest: DigestRules(demandsServerProof: demandsProof)
                    )
                ]
            ),
            at: 0
        )
    }
}

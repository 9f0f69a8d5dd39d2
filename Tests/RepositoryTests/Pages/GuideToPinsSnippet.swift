import Hostnames
import SPKIPins

/// The first snippet of GuideToPins.md.
enum GuideToPinsSnippet {
    static func pins(derCertificates: [[UInt8]], unixSeconds: Int64) throws -> PinVerdict {
        let policy = try PinPolicy(
            compiling: [
                .init(
                    host: "login.acme.example",
                    pins: [.init(try Pin(parsing: "sha256/lar8ZDFvf8PHGLbVhe+rW9NsqGQByGGwZjl0DBjWNB8="), at: .leaf)],
                    backup: .pins([.init(try Pin(parsing: "sha256/OAOs83VDVIaXgiAZaucBZVZOmkrUnBgCYBuwTWNZAT8="))]),
                    expiry: nil
                )
            ],
            version: 1,
            at: unixSeconds
        )
        let verdict = policy.verdict(
            for: try Hostname(parsing: "login.acme.example"),
            chain: try ValidatedChain(assertingValidated: derCertificates),
            now: unixSeconds
        )
        return verdict
    }
}

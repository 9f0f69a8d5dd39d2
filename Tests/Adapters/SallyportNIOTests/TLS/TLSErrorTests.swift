import Credentials
import NIOCore
import Sallyport
import SallyportNIO
import Testing

@Suite struct TLSErrorTests {
    @Test("Each error is one line of ASCII that names its place")
    func lines() throws {
        let origin = try Origin(parsing: "https://wiki.example:8443")
        let identity = ClientIdentity(name: "laptop", certificateChain: [[]])
        let foreign = "CN=\u{1B}[31m\n\u{E9}" + String(repeating: "x", count: 1000)
        let reasons: [InvalidServer] = [
            .unreadable, .tooManyCertificates(count: 17, limit: 16), .tooManyPaths(limit: 32),
            .noSystemRoots(reason: SystemRoots.read(named: nil, places: ["/missing"]).problem ?? ""),
            .unknownAuthority(issuer: foreign), .expired(subject: foreign), .notYetValid(subject: foreign), .otherName,
            .otherUse(subject: foreign), .brokenRule(foreign), .weakKey(subject: foreign, key: "RSA with 512 bits"),
            .weakSignature(subject: foreign), .revoked(subject: foreign, date: 0, .keyCompromise),
            .unusableRevocationList(issuer: foreign, .ended(nextUpdate: 0)),
            .unusableRevocationList(issuer: foreign, .issuerMayNotSign),
            .refusedBySystem(reason: foreign),
        ]
        let errors: [(TLSError, String)] =
            reasons.map { (.serverNotValidated(origin, $0, chain: [[1]]), "https://wiki.example:8443: ") } + [
                (.serverRejected(origin, .chainNotValidated), "https://wiki.example:8443: "),
                (.identityNotAccepted(origin, .withhold(.noCredential), alert: "A"), "https://wiki.example:8443: "),
                (.identityNotAccepted(origin, .present(identity), alert: "A"), "https://wiki.example:8443: "),
                (.handshakeFailed(origin, reason: "closed"), "https://wiki.example:8443: "),
                (
                    .handshakeTimedOut(origin, limit: .seconds(3)),
                    "https://wiki.example:8443: no TLS handshake within 3 s: check that the port speaks TLS"
                ),
                (
                    .handshakeTimedOut(origin, limit: .milliseconds(1500)),
                    "https://wiki.example:8443: no TLS handshake within 1500 ms: check"
                ),
                (.plainOrigin(origin), "https://wiki.example:8443 "), (.unreadableRoot(index: 3), "roots[3] "),
                (.weakRoot(index: 3, key: "RSA with 1024 bits"), "roots[3] has a weak key (RSA with 1024 bits)"),
                (.unusableIdentity("laptop"), "identity 'laptop': "),
                (.missingKey(identity: "laptop"), "identity 'laptop' "),
                (.twoKeys(identity: "laptop"), "identity 'laptop' "),
                (.cannotSign(identity: "laptop", reason: "no card"), "identity 'laptop' cannot sign: no card"),
            ]
        for (error, begin) in errors {
            let text = "\(error)"
            #expect(text.hasPrefix(begin), "\(text)")
            #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) } || text.contains("…"), "\(text)")
            #expect(!text.contains("\n") && !text.contains("\u{1B}") && text.count < 400, "\(text)")
        }
    }
}

import Hostnames
import NIOCore
import Sallyport
import SallyportNIO
import Testing

@testable import SallyportRelay

/// What a client and the log learn of a refusal.
@Suite struct RelayRefusalTests {
    private let origin: Origin

    init() throws { origin = try Origin(parsing: "http://proxy.example:8080") }

    private static func statusLine(_ refusal: RelayRefusal) -> String {
        String(refusal.response(isHead: true).prefix { $0 != "\r\n" })
    }

    @Test("The status line has the reason") func reason() {
        let refusal = RelayRefusal.withheld(.credentialsRefused(account: "jdoe"))
        #expect(
            Self.statusLine(refusal)
                == "HTTP/1.1 502 sallyport relay: parent: the password of 'jdoe' was refused: update it"
        )
    }

    @Test("A party that ends the handshake without a client certificate: the options and the profile are named")
    func withoutCertificate() throws {
        let server = try Origin(parsing: "https://wiki.example")
        let error = { (refusal: Refusal) in
            TLSError.identityNotAccepted(server, .withhold(refusal), alert: "TLSV1_ALERT_CERTIFICATE_REQUIRED")
        }
        #expect(
            "\(RelayRefusal.failed(server, error(.noCredential)))"
                == "https://wiki.example: the server requires a client certificate (TLSV1_ALERT_CERTIFICATE_REQUIRED), and none was sent: none is "
                + "for this server: present one with --cert FILE or --cert-identity NAME, or name it in the profile with a rule for the server"
        )
        // The others name the certificate.
        #expect(
            "\(RelayRefusal.failed(server, error(.issuerNotAccepted(identity: "laptop"))))".hasSuffix(
                "none was sent: the server accepts no issuer of 'laptop': use a certificate of an authority that it names"
            )
        )
        // The profile has no field that chooses one of several.
        let several = TLSError.identityUndecided(IdentityQuestion(origin: server, candidates: [], request: .unknown))
        #expect(
            "\(RelayRefusal.failed(server, several))".hasSuffix(
                ": let 'sites' of one alone name it, or present one with --cert FILE or --cert-identity NAME"
            )
        )
    }

    @Test("A reason of other characters, or a long one, stays one line of printable ASCII with a bound")
    func hostileReason() {
        let text = "t\u{e9}l\r\nX-Injected: 1\u{0}\u{7f}\t" + String(repeating: "x", count: 10_000)
        let response = RelayRefusal.failed(origin, reason: text).response(isHead: true)
        let line = Self.statusLine(.failed(origin, reason: text))
        #expect(line.hasPrefix("HTTP/1.1 502 sallyport relay: t?l??X-Injected: 1???xxx"), "\(line)")
        #expect(line.hasSuffix("xxx...") && line.utf8.count == "HTTP/1.1 502 ".utf8.count + 240)
        #expect(!response.contains("\nX-Injected"))
    }

    @Test("A refusal that ends by itself says when, in seconds that are rounded up")
    func retryAfter() {
        let unknown = Refusal.resultUnknown(account: "jdoe", .milliseconds(59_001))
        for refusal in [RelayRefusal.withheld(unknown), .withheldFromServer(unknown)] {
            let response = refusal.response(isHead: false)
            #expect(response.hasPrefix("HTTP/1.1 503 ") && response.contains("\r\nRetry-After: 60\r\n"))
            #expect(response.contains("again in 60 seconds"))
        }
        for refusal in [
            Refusal.accountPaused(account: "a", .seconds(1_800)),
            .pathWithheld(account: "a", .seconds(1_800), isDoubted: true),
        ] {
            #expect(RelayRefusal.withheld(refusal).response(isHead: true).contains("\r\nRetry-After: 1800\r\n"))
        }
        #expect(!RelayRefusal.ending.response(isHead: true).contains("Retry-After"))
    }

    @Test("A reason is news once; its seconds and the target do not make it another one") func news() throws {
        let recent = RecentRefusals()
        let now = NIODeadline.uptimeNanoseconds(0)
        let paused = { (seconds: Int) in RelayRefusal.withheld(.accountPaused(account: "a", .seconds(seconds))) }
        #expect(recent.isNews(paused(1_800), at: now))
        #expect(!recent.isNews(paused(1_799), at: now))
        #expect(recent.isNews(.withheld(.credentialsRefused(account: "a")), at: now))
        for isDoubted in [true, false] {
            let withheld = { (seconds: Int) in
                RelayRefusal.withheld(.pathWithheld(account: "a", .seconds(seconds), isDoubted: isDoubted))
            }
            #expect(recent.isNews(withheld(9), at: now))
            #expect(!recent.isNews(withheld(8), at: now))
        }
        #expect(recent.isNews(.forbidden(origin), at: now))
        #expect(!recent.isNews(.forbidden(try Origin(parsing: "http://127.0.0.1:9")), at: now))
        #expect(!recent.isNews(paused(1), at: now + .minutes(59)))
        #expect(recent.isNews(paused(1), at: now + .minutes(60)))
    }

    @Test("Of many reasons the oldest is forgotten") func bounded() {
        let recent = RecentRefusals()
        let now = NIODeadline.uptimeNanoseconds(0)
        for number in 0...RecentRefusals.most {
            #expect(recent.isNews(.notChosen(reason: "\(number)"), at: now))
        }
        #expect(!recent.isNews(.notChosen(reason: "1"), at: now))
        #expect(recent.isNews(.notChosen(reason: "0"), at: now))
    }
}

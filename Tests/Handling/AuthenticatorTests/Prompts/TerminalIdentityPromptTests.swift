import Foundation
import LiveServers
import Sallyport
import TestSupport
import Testing
import X509

@testable import Authenticator
@testable import ChallengeHandling

/// What a person reads about client certificates of which several fit, and which numbers count.
@Suite struct TerminalIdentityPromptTests {
    private func question(_ leaves: [(name: String, Keyed)]) throws -> IdentityQuestion {
        let candidates = try leaves.map { name, leaf in
            try IdentityCandidate(ClientIdentity(name: name, certificateChain: [leaf.der]))
        }
        let origin = try Origin(parsing: "https://wiki.acme.example")
        return IdentityQuestion(origin: origin, candidates: candidates, request: .unknown)
    }

    @Test("Row 39: each certificate has a number, its owner, issuer, time and serial number", .row(39)) func text()
        throws
    {
        let begin = Date(timeIntervalSince1970: 1_767_225_600)
        let leaves = try ["jdoe", "Ada\u{1B}[2J"].map { owner in
            let changes = TestAuthority.Changes(
                begin: begin,
                end: begin + 86_400,
                uses: [.clientAuth],
                commonName: owner
            )
            return try TestAuthority("Acme Clients").leaf("x.example", changes: changes)
        }
        let serials = leaves.map { leaf in
            leaf.certificate.serialNumber.bytes.drop { $0 == 0 }.map { String(format: "%02x", $0) }.joined(
                separator: ":"
            )
        }
        let expected = """
            https://wiki.acme.example asks for a client certificate, and several fit:
              1  laptop: "CN=jdoe"
                 issuer "CN=Acme Clients"
                 valid from 2026-01-01T00:00:00Z until 2026-01-02T00:00:00Z, serial \(serials[0])
              2  "the card": "CN=Ada\\\\1B[2J"
                 issuer "CN=Acme Clients"
                 valid from 2026-01-01T00:00:00Z until 2026-01-02T00:00:00Z, serial \(serials[1])
            Type the number of the one to present, or Enter alone for none.

            """
        let question = try question([("laptop", leaves[0]), ("the card", leaves[1])])
        #expect(TerminalIdentityPrompt.text(of: question) == expected)
        for (typed, name) in [
            ("1", "laptop"), ("2", "the card"), ("02", "the card"), ("0", nil), ("3", nil), ("-1", nil), ("+1", nil),
            ("1.", nil), ("laptop", nil), ("99999999999999999999", nil), ("\u{0661}", nil),
        ] {
            #expect(TerminalIdentityPrompt.name(numbered: typed, question) == name, "\(typed)")
        }
    }
}

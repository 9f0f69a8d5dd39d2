import Corpora
import Foundation
import TestLimits
import TestSupport
import Testing

@testable import ChainSources

/// Chains that are sound by OpenSSL or `cryptography` and have algorithms that the certificate library may not know;
/// `Unjudged/make_cases.py` made them, with the verdict.
@Suite(.inTurn) struct UnjudgedAlgorithmTests {
    private struct Case {
        let name, expected: String
        let isSound: Bool
        let presented, roots: [[UInt8]]
    }

    private static func cases() throws -> [Case] {
        func certificates(_ text: Substring) throws -> [[UInt8]] {
            try text.split(separator: ",").map { [UInt8](try #require(Data(base64Encoded: String($0)))) }
        }
        let file = HelperFile.url("Unjudged/cases.tsv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            try #require(fields.count == 6)
            return Case(
                name: String(fields[0]),
                expected: String(fields[1]),
                isSound: fields[2] == "OK",
                presented: try certificates(fields[3]) + certificates(fields[4]),
                roots: try certificates(fields[5])
            )
        }
    }

    /// 2026-06-01; the certificates are valid from 2026 to 2036.
    private let time: Int64 = 1_780_272_000

    @Test("A chain that cannot be verified is not judged, and names the algorithm") func everyCase() async throws {
        let cases = try Self.cases()
        #expect(cases.count == 28)
        for test in cases {
            let validator = ChainValidator(roots: test.roots)
            let outcome = await validator.validate(test.presented, host: "a.example", at: time)
            switch test.expected {
            case "validated":
                #expect(outcome == .validated(test.presented + test.roots), "\(test.name): \(outcome)")
                #expect(outcome.note == nil)
            case "refused": #expect(outcome == .refused("no path to a trusted root"), "\(test.name): \(outcome)")
            default:
                #expect(outcome == .notJudged(algorithm: test.expected), "\(test.name): \(outcome)")
                #expect(outcome.note == "not judged: signature algorithm \(test.expected)")
            }
            // What the independent program takes is validated or not judged, never refused.
            #expect(test.isSound == (test.expected != "refused"), "\(test.name)")
        }
    }

    @Test("A chain that can be verified is refused as before, whatever lies beside it") func refusals() async throws {
        let cases = try Self.cases()
        let good = try #require(cases.first { $0.name == "P-256" })
        let beside = try #require(cases.first { $0.name == "brainpoolP256r1" })
        let validator = ChainValidator(roots: good.roots + beside.roots)
        let presented = good.presented + beside.presented + beside.roots
        guard case .validated = await validator.validate(presented, host: "a.example", at: time) else {
            Issue.record("another chain beside it spoils a good one")
            return
        }
        for (host, time) in [("b.example", time), ("a.example", time + 20 * 365 * 86_400), ("192.0.2.1", time)] {
            guard case .refused = await validator.validate(presented, host: host, at: time) else {
                Issue.record("not refused: \(host) at \(time)")
                continue
            }
        }
        // A certificate that is no certificate is refused, not excused.
        for broken in [[], [0x30, 0x00], Array(beside.presented[0].dropLast(10)), [UInt8](repeating: 0x30, count: 99)] {
            let outcome = await validator.validate([broken], host: "a.example", at: time)
            #expect(outcome == .refused("the leaf cannot be read"))
        }
    }

    @Test("Certificates that sign each other in a circle end the search", .inTurn)
    func circles() async throws {
        let case1 = try #require(try Self.cases().first { $0.name == "a root of secp256k1" })
        let many = [case1.presented[0]] + [[UInt8]](repeating: case1.roots[0], count: 5000)
        #expect(UnjudgedAlgorithm.name(onPathOf: many) == "ECDSA with secp256k1 (1.3.132.0.10)")
        let others = [[UInt8]](repeating: case1.presented[0], count: 5000)
        #expect(UnjudgedAlgorithm.name(onPathOf: others) == nil)
    }
}

/// What a scan says of a chain is kept.
extension ImportFormatTests {
    @Test(
        "zgrab2's verdict stands beside ours",
        arguments: [
            (#"{"browser_trusted":true,"matches_domain":true}"#, "trusted by browsers"),
            (
                #"{"browser_trusted":false,"browser_error":"x509: unknown error"}"#,
                "not trusted by browsers: x509: unknown error"
            ),
            (#"{"browser_trusted":false}"#, "not trusted by browsers"), (#"{"browser_error":"x"}"#, nil), ("null", nil),
            (#"{"browser_trusted":false,"browser_error":"a\nb\u001b[2J"}"#, "not trusted by browsers: a?b?[2J"),
        ]
    )
    func zgrabVerdict(validation: String, verdict: String?) throws {
        let folder = try TemporaryFolder("sources")
        let own = #""validation":{"browser_trusted":false,"browser_error":"x509: unknown error"}"#
        let log = certificates()
        #expect(log.contains(own))
        let line = zgrabLine(log.replacing(own, with: #""validation":\#(validation)"#))
        let chain = try #require(
            try Self.imported(.zgrab2, try folder.write(line, "scan.json")).chains.first
        )
        #expect(chain.verdict == verdict)
        let note = "not judged: signature algorithm Ed448 (1.3.101.113)"
        #expect(
            chain.note(.notJudged(algorithm: "Ed448 (1.3.101.113)"))
                == (verdict.map { "\(note); the scan says: \($0)" } ?? note)
        )
        #expect(chain.note(.validated([])) == nil)
    }

    @Test("OpenSSL's verdict stands beside ours") func openSSLVerdict() throws {
        let folder = try TemporaryFolder("sources")
        let text = "Certificate chain\n\(MadeChains.pem([made.chain[0]]))---\n"
        for (line, verdict) in [
            ("    Verify return code: 0 (ok)\n", "0 (ok)"),
            (
                "Verify return code: 20 (unable to get local issuer certificate)\n    Verify return code: 0 (ok)\n",
                "20 (unable to get local issuer certificate)"
            ), ("", nil),
        ] as [(String, String?)] {
            let path = try folder.write(text + line, "a.example.txt")
            #expect(try Self.imported(.openssl, path).chains.map(\.verdict) == [verdict])
        }
    }
}

internal import Corpora
internal import Foundation
internal import WireFormat

/// Test cases of x509-limbo (`limbo.json`): those of servers with a DNS name that validation must accept.
///
/// The others are made to be refused, so no server was seen with them. Each case brings its own roots and, mostly, its time.
struct LimboCases {
    let options: ImportOptions

    private struct Suite: Decodable { let testcases: [Element] }

    /// A case, or something else in its place.
    private struct Element: Decodable {
        let test: Case?

        init(from decoder: any Decoder) { test = try? Case(from: decoder) }
    }

    private struct Case: Decodable {
        struct PeerName: Decodable {
            let kind: String
            let value: String
        }

        let id: String
        let validationKind: String
        let expectedResult: String
        let expectedPeerName: PeerName?
        let validationTime: String?
        let trustedCerts: [String]
        let untrustedIntermediates: [String]
        let peerCertificate: String

        enum CodingKeys: String, CodingKey {
            case id
            case validationKind = "validation_kind"
            case expectedResult = "expected_result"
            case expectedPeerName = "expected_peer_name"
            case validationTime = "validation_time"
            case trustedCerts = "trusted_certs"
            case untrustedIntermediates = "untrusted_intermediates"
            case peerCertificate = "peer_certificate"
        }
    }

    func forEachChain(
        in path: String,
        _ body: (ImportedChain) throws(RecordingError) -> Void
    ) throws(RecordingError) -> ImportLosses {
        let data = Data(try RecordingFile.readText(path))
        do throws(JSONProblem) {
            try JSONCheck.check(data.span)
        } catch {
            throw RecordingError(path: path, line: error.line, problem: error.problem)
        }
        guard let suite = try? JSONDecoder().decode(Suite.self, from: data) else {
            let problem = "not the JSON of x509-limbo's test cases: name a whole limbo.json"
            throw RecordingError(path: path, line: nil, problem: problem)
        }
        var losses = ImportLosses()
        for (index, element) in suite.testcases.enumerated() {
            guard let test = element.test else {
                let problem = "a field of x509-limbo's cases is missing or has another type"
                losses.leaveOut("\(path): case \(index + 1)", problem)
                continue
            }
            guard test.validationKind == "SERVER", test.expectedResult == "SUCCESS" else {
                losses.leaveOut("\(path): case '\(test.id)'", "it is not a server that validation must accept")
                continue
            }
            guard let peer = test.expectedPeerName, peer.kind == "DNS",
                let endpoint = RecordedEndpoint(parsing: peer.value), endpoint.port == 443
            else {
                losses.leaveOut("\(path): case '\(test.id)'", "its server has no DNS name that a recording can hold")
                continue
            }
            let place = "\(path): case '\(test.id)'"
            let chain: ImportedChain
            do throws(RecordingError) {
                chain = ImportedChain(
                    endpoint: endpoint,
                    time: try ImportFile.time(test.validationTime, options, (place, line: nil)),
                    presented: try certificates([test.peerCertificate] + test.untrustedIntermediates, place),
                    roots: try certificates(test.trustedCerts, place),
                    source: "x509-limbo \(test.id)"
                )
            } catch {
                losses.leaveOut(error)
                continue
            }
            try body(chain)
        }
        return losses
    }

    private func certificates(_ texts: [String], _ place: String) throws(RecordingError) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        for text in texts {
            let found = try ImportFile.certificates([UInt8](text.utf8), place)
            // A chain whose leaf is missing would begin with an authority.
            guard found.count == 1 else {
                let problem =
                    "\(found.count) certificates (PEM) found where a case has exactly one: name a whole limbo.json"
                throw RecordingError(path: place, line: nil, problem: problem)
            }
            certificates += found
        }
        return certificates
    }
}

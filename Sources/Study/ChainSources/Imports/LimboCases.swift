internal import Corpora
internal import Foundation

/// Test cases of x509-limbo (`limbo.json`): those of servers with a DNS name that validation must accept.
///
/// The others are made to be refused, so no server was seen with them. Each case brings its own roots and, mostly, its time.
struct LimboCases {
    let options: ImportOptions

    private struct Suite: Decodable { let testcases: [Case] }

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
    }

    func forEachChain(
        in path: String,
        _ body: (ImportedChain) throws(RecordingError) -> Void
    ) throws(RecordingError) -> Int {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let suite = try? decoder.decode(Suite.self, from: ChallengeRecording.readFile(URL(filePath: path))) else {
            let problem = "not the JSON of x509-limbo's test cases: name a whole limbo.json"
            throw RecordingError(path: path, line: nil, problem: problem)
        }
        var without = 0
        for test in suite.testcases {
            guard test.validationKind == "SERVER", test.expectedResult == "SUCCESS",
                let peer = test.expectedPeerName, peer.kind == "DNS",
                let endpoint = RecordedEndpoint(parsing: peer.value), endpoint.port == 443
            else {
                without += 1
                continue
            }
            let written = test.validationTime.flatMap { try? Date($0, strategy: .iso8601) }
            guard let time = written.map({ Int64($0.timeIntervalSince1970) }) ?? options.time else {
                throw RecordingError(path: path, line: nil, problem: "case '\(test.id)' says no time: use --at")
            }
            let presented = [test.peerCertificate] + test.untrustedIntermediates
            try body(
                ImportedChain(
                    endpoint: endpoint,
                    time: time,
                    presented: try certificates(presented, path),
                    roots: try certificates(test.trustedCerts, path),
                    source: "x509-limbo \(test.id)"
                )
            )
        }
        return without
    }

    private func certificates(_ texts: [String], _ path: String) throws(RecordingError) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        for text in texts {
            let found = try ImportFile.certificates([UInt8](text.utf8), path)
            // A chain whose leaf is missing would begin with an authority.
            guard found.count == 1 else {
                let problem = "\(found.count) certificates stand where a case has one (PEM): name a whole limbo.json"
                throw RecordingError(path: path, line: nil, problem: problem)
            }
            certificates += found
        }
        return certificates
    }
}

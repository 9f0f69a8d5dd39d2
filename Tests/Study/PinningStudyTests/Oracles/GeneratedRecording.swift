import Foundation
import TestSupport

/// A recording of made-up facts, the same for the same seed: hosts that renew, change authorities and meet impostors.
struct GeneratedRecording {
    let folder: URL

    func remove() { try? FileManager.default.removeItem(at: folder) }

    private struct Certificate {
        let subject: String
        let issuer: String
        let key: Int
        let isAuthority: Bool
    }

    private static let start = 1_700_000_000

    init(seed: UInt64, hosts: Int) {
        var generator = SeededGenerator(seed: seed)
        folder = TemporaryFolder.place("study-\(seed)")
        var certificates: [Certificate] = []
        var nextKey = 0
        func add(_ subject: String, _ issuer: String, key: Int? = nil, isAuthority: Bool = true) -> Int {
            if key == nil { nextKey += 1 }
            certificates.append(
                Certificate(subject: subject, issuer: issuer, key: key ?? nextKey, isAuthority: isAuthority)
            )
            return certificates.count - 1
        }
        let roots = (0..<4).map { add("CN=Root \($0),O=Trust \($0 / 2)\\\\, Inc.", "CN=Root \($0)") }
        // Some intermediates are cross-signed: one key, two certificates, chains of three and four.
        var paths: [[Int]] = []
        for index in 0..<7 {
            let intermediate = add(
                "CN=Issuing \(index)" + (index == 6 ? "" : ",O=Trust \(index / 4)\\\\, Inc."),
                "CN=Root"
            )
            paths.append([intermediate, roots[index % 4]])
            if index % 3 == 0 {
                let cross = add(
                    "CN=Root \(index % 4),O=Trust \(index % 4 / 2)\\\\, Inc.",
                    "CN=Old",
                    key: certificates[roots[index % 4]].key
                )
                paths.append([intermediate, cross, roots[(index + 1) % 4]])
            }
        }
        var lines: [String] = []
        for host in 0..<hosts {
            var time = Self.start + Int.random(in: 0...40, using: &generator) * 86_400
            var path = paths[Int.random(in: 0..<paths.count, using: &generator)]
            var leaf = add("CN=host\(host)", "CN=i", isAuthority: false)
            var reserve = 0
            for _ in 0..<Int.random(in: 1...30, using: &generator) {
                let change = Int.random(in: 0..<10, using: &generator)
                if change < 4 {
                    leaf = add(
                        "CN=host\(host)",
                        "CN=i",
                        key: change == 0 ? certificates[leaf].key : nil,
                        isAuthority: false
                    )
                }
                if change == 4, reserve > 0 { leaf = add("CN=host\(host)", "CN=i", key: reserve, isAuthority: false) }
                if change == 5 { path = paths[Int.random(in: 0..<paths.count, using: &generator)] }
                if change == 6 {
                    nextKey += 1
                    reserve = nextKey
                }
                let span =
                    Int.random(in: 0...2, using: &generator) == 0
                    ? Int.random(in: 0...20, using: &generator) * 86_400 : 0
                let next = reserve == 0 ? "" : ",\"next_keys\":[\"\(Self.pin(reserve))\"]"
                let leak =
                    change == 4 || change == 2 ? ",\"previous_key_leaked\":\"\(Self.time(time - 9 * 43_200))\"" : ""
                lines.append(Self.line(host, time, time + span, [leaf] + path, "genuine", next + leak))
                if Int.random(in: 0...6, using: &generator) == 0 {
                    let label = ["rogue", "mis-issued", "distrusted"][Int.random(in: 0...2, using: &generator)]
                    let fake = add(
                        "CN=host\(host)",
                        "CN=i",
                        key: change == 9 ? certificates[leaf].key : nil,
                        isAuthority: false
                    )
                    let other = paths[Int.random(in: 0..<paths.count, using: &generator)]
                    lines.append(Self.line(host, time + 3600, time + 7200, [fake] + other, label, ""))
                }
                // Now and then the next sight is of the same second, or inside the span of this one.
                if change != 7 { time += Int.random(in: 0...50, using: &generator) * 43_200 }
            }
        }
        lines.append(
            #"{"time":"2024-01-01T00:00:00Z","host":"unvalidated.example","presented":["\#(Self.fingerprint(0))"]}"#
        )
        let facts = certificates.enumerated().map { index, certificate in
            #"{"certificate_sha256":"\#(Self.fingerprint(index))","spki_sha256":"\#(Self.pin(certificate.key))","#
                + #""subject":"\#(certificate.subject)","issuer":"\#(certificate.issuer)","#
                + #""not_before":"2023-01-01T00:00:00Z","not_after":"2033-01-01T00:00:00Z","is_ca":\#(certificate.isAuthority)}"#
        }
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try? Data(lines.joined(separator: "\n").utf8).write(to: folder.appending(path: "observations.ndjson"))
        try? Data(facts.joined(separator: "\n").utf8).write(to: folder.appending(path: "certificates.ndjson"))
    }

    private static func fingerprint(_ number: Int) -> String { Self.hexadecimal(number + 1) }

    private static func hexadecimal(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    private static func pin(_ key: Int) -> String {
        var bytes = [UInt8](repeating: 7, count: 32)
        for place in 0..<8 { bytes[place] = UInt8(truncatingIfNeeded: key >> (8 * place)) }
        return Data(bytes).base64EncodedString()
    }

    private static func time(_ seconds: Int) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }

    private static func line(_ host: Int, _ first: Int, _ last: Int, _ chain: [Int], _ label: String, _ rest: String)
        -> String
    {
        let chain = chain.map { "\"\(fingerprint($0))\"" }.joined(separator: ",")
        return #"{"first":"\#(time(first))","last":"\#(time(last))","host":"host\#(host).example","chain":[\#(chain)],"#
            + #""label":"\#(label)"\#(rest)}"#
    }
}

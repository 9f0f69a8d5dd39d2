import Corpora
import Foundation
import TestSupport

/// A recording of three hosts that is small enough to be worked out by hand; days count from 2026-01-01.
///
/// | host | day 0 | day 10 | day 20 | day 40 |
/// |---|---|---|---|---|
/// | `a` | leaf 1, issuer X, root R | | leaf 2, X, R | leaf 2, X, R |
/// | `b` | leaf 3, X, R | leaf 4 (same key as 3), X, R | | leaf 5, Y, R |
/// | `c` | leaf 6, Y, R | | leaf 6, Y, R | |
///
/// Leaf 1's key leaked on day 15, as both sights of leaf 2 say.
///
/// On day 30 a rogue chain for `a` is seen: leaf 7, Z, S; on day 35 one for `b` that issuer X should not have signed: leaf 8, X, R.
struct ThreeHosts {
    let folder: URL

    init() throws {
        folder = TemporaryFolder.place("three")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let keys = [
            "1": "1", "2": "2", "3": "3", "4": "3", "5": "5", "6": "6", "7": "7", "8": "8", "X": "X", "Y": "Y",
            "Z": "Z",
            "R": "R", "S": "S",
        ]
        let certificates = keys.sorted { $0.key < $1.key }.map { name, key in
            let owner = ["X": "One", "Y": "Two", "Z": "Three", "R": "One", "S": "Three"][name].map { ",O=\($0)" } ?? ""
            return #"{"certificate_sha256":"\#(Self.fingerprint(name))","spki_sha256":"\#(Self.pin(key))","#
                + #""subject":"CN=\#(name)\#(owner)","not_before":"2025-01-01T00:00:00Z","not_after":"2027-01-01T00:00:00Z"}"#
        }
        let observations = [
            (0, "a", "1XR", "genuine"), (20, "a", "2XR", "genuine"), (40, "a", "2XR", "genuine"),
            (0, "b", "3XR", "genuine"), (10, "b", "4XR", "genuine"), (40, "b", "5YR", "genuine"),
            (0, "c", "6YR", "genuine"), (20, "c", "6YR", "genuine"),
            (30, "a", "7ZS", "rogue"), (35, "b", "8XR", "mis-issued"),
        ].map { day, host, chain, label in
            let time = Date(timeIntervalSince1970: Double(1_767_225_600 + day * 86_400)).formatted(.iso8601)
            let names = chain.map { "\"\(Self.fingerprint(String($0)))\"" }.joined(separator: ",")
            let leak = chain == "2XR" ? #","previous_key_leaked":"2026-01-16T00:00:00Z""# : ""
            return #"{"time":"\#(time)","host":"\#(host)","chain":[\#(names)],"label":"\#(label)"\#(leak)}"#
        }
        for (name, lines) in ["certificates.ndjson": certificates, "observations.ndjson": observations] {
            try Data(lines.joined(separator: "\n").utf8).write(to: folder.appending(path: name))
        }
    }

    func load() throws -> ChainRecording {
        defer { try? FileManager.default.removeItem(at: folder) }
        return try ChainRecording(folder: folder)
    }

    static func pin(_ name: String) -> String {
        Data(repeating: name.utf8.first ?? 0, count: 32).base64EncodedString()
    }

    private static func fingerprint(_ name: String) -> String {
        String(repeating: String(name.utf8.first ?? 0, radix: 16), count: 32)
    }
}

import Foundation
import Testing

/// Checks of the committed thresholds; they do not depend on the last measurement.
@Suite struct CommittedRatiosTests {
    /// The thresholds in each folder below Benchmarks/Thresholds, by the name of the benchmark.
    private static func folders() throws -> [[String: [String: Int]]] {
        let root = Repository.root.appending(path: "Benchmarks/Thresholds")
        return try FileManager.default.contentsOfDirectory(at: root, includingPropertiesForKeys: nil).map { folder in
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { $0.path.hasSuffix(".p90.json") }
            let thresholds = try files.map { file in
                (file.lastPathComponent, try JSONDecoder().decode([String: Int].self, from: Data(contentsOf: file)))
            }
            return Dictionary(uniqueKeysWithValues: thresholds)
        }
    }

    /// Decisions so short that the lock-out budget and the memory of offers, about 0.3 µs, are more than a tenth of them.
    private static let short = ["received_basic": 1_550, "received_ntlm-negotiate": 1_450]

    @Test("A decision takes at most a tenth more than the engine calls in it, a short one at most half")
    func facade() throws {
        // These alone are divided by the time of engine calls.
        let decisions = try Self.folders().flatMap { folder in
            folder.filter { $0.key.hasPrefix("SallyportBenchmarks.Challenge") && $0.value["ratio"] != nil }
        }
        #expect(decisions.count >= 7)
        for (name, thresholds) in decisions {
            let limit = Self.short.first { name.contains($0.key) }?.value ?? 1_100
            #expect(thresholds["ratio"] ?? 0 <= limit, "\(name)")
        }
    }

    @Test("A lookup allocates nothing, and neither does a refusal") func lookups() throws {
        let free = [
            "SiteTrie.verdict", "PinSet.contains", "PinPolicy.verdict", "CertificateWalk.init", "handle_site-denied",
        ]
        let counted = try Self.folders().flatMap { folder in
            folder.filter { file in free.contains(where: file.key.contains) && file.value["allocations"] != nil }
        }
        #expect(counted.count >= 25)
        for (name, thresholds) in counted { #expect(thresholds["allocations"] == 0, "\(name)") }
    }
}

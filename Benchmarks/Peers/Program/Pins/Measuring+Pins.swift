internal import Crypto
internal import SPKIPins

extension Measuring {
    /// Whether a set has a pin: 20,000 questions.
    func pins(among count: Int) throws {
        let all = (0..<count).map { Pin(hashing: Array("pin \($0)".utf8).span) }
        let strangers = (0..<20_000).map { Pin(hashing: Array("stranger \($0)".utf8).span) }
        let known = Array(all.shuffled().prefix(20_000))
        let set = try PinSet(compiling: all.map { PinSet.Member(pin: $0) })
        for kind in ["hit", "miss"] {
            print("bytes\tSallyport\tpin among \(count), \(kind)\t\(Double(set.image.count) / Double(count))")
        }
        let digests = Set((0..<count).map { SHA256.hash(data: Array("pin \($0)".utf8)) })
        let knownDigests = Array(digests.shuffled().prefix(20_000))
        let strangeDigests = (0..<20_000).map { SHA256.hash(data: Array("stranger \($0)".utf8)) }
        precondition(known.allSatisfy(set.contains) && !strangers.contains(where: set.contains))
        for (kind, pins, others) in [("hit", known, knownDigests), ("miss", strangers, strangeDigests)] {
            lookUps("pin among \(count), \(kind)", pins) { set.contains($0) ? 1 : 0 }
            lookUps("pin among \(count), \(kind)", by: "Set<SHA256Digest>", others) { digests.contains($0) ? 1 : 0 }
        }
        dependentLookUps("pin among \(count), hit", known) { pin in
            set.member(for: pin).map { Int(truncatingIfNeeded: $0.pin.word0) } ?? 0
        }
        dependentLookUps("pin among \(count), hit", by: "Set<SHA256Digest>", knownDigests) { digest in
            digests.firstIndex(of: digest).map { index in
                unsafe digests[index].withUnsafeBytes { unsafe $0.loadUnaligned(as: Int.self) }
            } ?? 0
        }
    }
}

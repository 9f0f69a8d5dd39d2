// Our side of the comparison, and Swift's `Set` beside it: prints the lines of a ledger that `compare` puts beside the peers'.
internal import Crypto
internal import Foundation
internal import Hostnames
internal import PeerComparison
internal import SPKIPins

let isQuick = CommandLine.arguments.contains("--quick")

/// Runs `body` in rounds of about two milliseconds, and prints each round's time for a unit.
func measure(_ operation: String, by who: String = "Sallyport", per count: Int, _ body: () -> UInt64) {
    var sum = body()
    let start = Clock.processor()
    sum &+= body()
    let repeats = max(1, 2_000_000 / max(Clock.processor() - start, 1))
    for _ in 0..<(isQuick ? 7 : 25) {
        let start = Clock.processor()
        for _ in 0..<repeats { sum &+= body() }
        let nanoseconds = Double(Clock.processor() - start) / Double(Int(repeats) * count)
        print("time\t\(who)\t\(operation)\t\(nanoseconds)")
    }
    keep(Int(truncatingIfNeeded: sum))
}

let bytes = [UInt8](try Data(contentsOf: URL(filePath: CommandLine.arguments[1])))
var places: [Range<Int>] = []
var offset = 0
while offset < bytes.count {
    let length = Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2]) << 16
    places.append(offset + 4..<offset + 4 + length)
    offset += 4 + length
}
let certificates = places.map { Array(bytes[$0]) }
let pins = certificates.compactMap { try? Pin(ofCertificate: $0.span) }

measure("walk to the key", per: certificates.count) {
    var sum: UInt64 = 0
    for certificate in certificates {
        guard let walk = try? CertificateWalk(of: certificate.span) else { continue }
        sum &+= UInt64(walk.subjectPublicKeyInfo.range.lowerBound)
    }
    return sum
}
measure("certificate to pin", per: certificates.count) {
    var sum: UInt64 = 0
    for certificate in certificates {
        if let pin = try? Pin(ofCertificate: certificate.span) { sum &+= pin.word0 & 0xffff }
    }
    return sum
}
measure("many certificates to pins", per: certificates.count) {
    var sum: UInt64 = 0
    for result in Pin.ofCertificates(at: places, in: bytes.span) {
        if case .success(let pin) = result { sum &+= pin.word0 & 0xffff }
    }
    return sum
}
measure("certificate to pin", by: "our walk, swift-crypto's SHA-256", per: certificates.count) {
    var sum: UInt64 = 0
    for certificate in certificates {
        guard let walk = try? CertificateWalk(of: certificate.span) else { continue }
        let key = certificate[walk.subjectPublicKeyInfo.range]
        var hash = SHA256()
        unsafe key.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        sum &+= unsafe hash.finalize().withUnsafeBytes { unsafe UInt64($0.loadUnaligned(as: UInt16.self)) }
    }
    return sum
}

// Decisions over chains of three certificates of the corpus, 64 hosts.
let chains = (0..<64).compactMap { index in
    try? ValidatedChain(assertingValidated: (0..<3).map { certificates[(3 * index + $0) % certificates.count] })
}
let hosts = (0..<64).compactMap { try? Hostname(parsing: "www.site\($0).example") }
func policy(count: Int) throws -> PinPolicy {
    try PinPolicy(
        compiling: (0..<count).map { index in
            PinPolicy.Entry(
                host: index < 64
                    ? "**.site\(index).example"
                    : ["", "*.", "**."][index % 3] + "h\(index).other\(index % 97).example",
                pins: [PositionedPin(pins[(3 * (index % 64) + 2) % pins.count])],
                backup: .pins([PositionedPin(Pin(hashing: Array("backup \(index)".utf8).span))]),
                expiry: nil
            )
        },
        version: 1,
        at: 0
    )
}
let small = try policy(count: 64)
let memo = PinMemo(slots: 1024)
func decide(_ policy: PinPolicy, memo: PinMemo?) -> UInt64 {
    var sum: UInt64 = 0
    for index in 0..<64 {
        if case .matched(let match) = policy.verdict(for: hosts[index], chain: chains[index], now: 1, memo: memo) {
            sum &+= UInt64(match.certificateIndex)
        }
    }
    return sum
}
precondition(decide(small, memo: nil) == 128, "every chain matches at its third certificate")
measure("decision, chain of three, cold", per: 64) { decide(small, memo: nil) }
measure("decision, chain of three, memo", per: 64) { decide(small, memo: memo) }

for count in isQuick ? [1000] : [1000, 100_000] {
    let large = try policy(count: count)
    let questions = (0..<count).shuffled().prefix(20_000).compactMap { index in
        try? Hostname(
            parsing: index < 64
                ? "www.site\(index).example" : "\(index % 3 == 1 ? "x." : "")h\(index).other\(index % 97).example"
        )
    }
    let strangers = (0..<20_000).compactMap { try? Hostname(parsing: "www.h\($0).stranger\($0 % 97).example") }
    let empty = try ValidatedChain(assertingValidated: [[0]])
    for (kind, hosts) in [("hit", questions), ("miss", strangers)] {
        measure("host among \(count) patterns, \(kind)", per: hosts.count) {
            var sum: UInt64 = 0
            for host in hosts {
                if case .notPinned = large.verdict(for: host, chain: empty, now: 1) { continue }
                sum &+= 1
            }
            return sum
        }
    }
}

for count in isQuick ? [1000] : [1000, 100_000, 1_000_000] {
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
    for (kind, pins, others) in [("hit", known, knownDigests), ("miss", strangers, strangeDigests)] {
        measure("pin among \(count), \(kind)", per: pins.count) {
            var sum: UInt64 = 0
            for pin in pins where set.contains(pin) { sum &+= 1 }
            return sum
        }
        measure("pin among \(count), \(kind)", by: "Set<SHA256Digest>", per: others.count) {
            var sum: UInt64 = 0
            for digest in others where digests.contains(digest) { sum &+= 1 }
            return sum
        }
    }
}

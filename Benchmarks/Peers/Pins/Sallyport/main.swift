// Our side of the comparison: prints `name TAB nanoseconds TAB checksum` for what `run` puts beside the peers.
internal import Crypto
internal import Foundation
internal import Hostnames
internal import SPKIPins

/// Processor time of this process in nanoseconds.
func processorTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Runs `body` in rounds of about two milliseconds, and prints the fastest round, per unit.
func measure(_ name: String, per count: Int, _ body: () -> UInt64) {
    if CommandLine.arguments.count > 2, !name.contains(CommandLine.arguments[2]) { return }
    var sum = body()
    let start = processorTime()
    sum &+= body()
    let repeats = max(1, Int(2e6 / max(processorTime() - start, 1)))
    var best = Double.infinity
    for _ in 0..<25 {
        let start = processorTime()
        for _ in 0..<repeats { sum &+= body() }
        best = min(best, (processorTime() - start) / Double(repeats * count))
    }
    let figure = (best * 10).rounded() / 10
    print("\(name)\t\(figure)\t\(sum)")
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

measure("ours: walk", per: certificates.count) {
    var sum: UInt64 = 0
    for certificate in certificates {
        guard let walk = try? CertificateWalk(of: certificate.span) else { continue }
        sum &+= UInt64(walk.subjectPublicKeyInfo.range.lowerBound)
    }
    return sum
}
measure("ours: pin", per: certificates.count) {
    var sum: UInt64 = 0
    for certificate in certificates {
        if let pin = try? Pin(ofCertificate: certificate.span) { sum &+= pin.word0 & 0xffff }
    }
    return sum
}
measure("ours: pins, many at once", per: certificates.count) {
    var sum: UInt64 = 0
    for result in Pin.ofCertificates(at: places, in: bytes.span) {
        if case .success(let pin) = result { sum &+= pin.word0 & 0xffff }
    }
    return sum
}
measure("ours: pin by swift-crypto", per: certificates.count) {
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
measure("ours: decision, chain of three, cold", per: 64) { decide(small, memo: nil) }
measure("ours: decision, chain of three, memo", per: 64) { decide(small, memo: memo) }

for count in [1000, 100_000] {
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
        measure("ours: host among \(count) patterns, \(kind)", per: hosts.count) {
            var sum: UInt64 = 0
            for host in hosts {
                if case .notPinned = large.verdict(for: host, chain: empty, now: 1) { continue }
                sum &+= 1
            }
            return sum
        }
    }
}

for count in [1000, 100_000, 1_000_000] {
    let all = (0..<count).map { Pin(hashing: Array("pin \($0)".utf8).span) }
    let strangers = (0..<20_000).map { Pin(hashing: Array("stranger \($0)".utf8).span) }
    let known = Array(all.shuffled().prefix(20_000))
    let set = try PinSet(compiling: all.map { PinSet.Member(pin: $0) })
    print("ours: bytes a pin among \(count)\t\(Double(set.image.count) / Double(count))\t0")
    let digests = Set((0..<count).map { SHA256.hash(data: Array("pin \($0)".utf8)) })
    let knownDigests = Array(digests.shuffled().prefix(20_000))
    let strangeDigests = (0..<20_000).map { SHA256.hash(data: Array("stranger \($0)".utf8)) }
    for (kind, pins, others) in [("hit", known, knownDigests), ("miss", strangers, strangeDigests)] {
        measure("ours: pin among \(count), \(kind)", per: pins.count) {
            var sum: UInt64 = 0
            for pin in pins where set.contains(pin) { sum &+= 1 }
            return sum
        }
        measure("Set<SHA256Digest>: pin among \(count), \(kind)", per: others.count) {
            var sum: UInt64 = 0
            for digest in others where digests.contains(digest) { sum &+= 1 }
            return sum
        }
    }
}

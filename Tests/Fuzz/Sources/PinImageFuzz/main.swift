import CFuzzer
import Hostnames

@testable import SPKIPins

func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] { [tag, UInt8(contents.count)] + contents }

/// The smallest certificate that the walk goes through, with a key of its own.
func certificate(_ number: UInt8) -> [UInt8] {
    let empty = element(0x30, [])
    let times = element(0x30, element(0x17, []) + element(0x17, []))
    let key = element(0x30, empty + element(0x03, [0, number]))
    let fields = element(0x02, [1]) + empty + empty + times + empty + key
    return element(0x30, element(0x30, fields) + empty + element(0x03, [0]))
}

let certificates = (0..<20).map { certificate($0) }
let pins: [Pin] = certificates.map { certificate in
    guard let pin = try? Pin(ofCertificate: certificate.span) else {
        preconditionFailure("a certificate cannot be read")
    }
    return pin
}
/// A certificate of every key, and one that cannot be read.
let chains: [(chain: ValidatedChain, pins: [Pin?])] = (0..<10).map { number in
    let chosen = [[0x30, 0x80], certificates[number], certificates[19 - number]]
    guard let chain = try? ValidatedChain(assertingValidated: chosen) else { preconditionFailure("no chain") }
    return (chain, [nil, pins[number], pins[19 - number]])
}

/// Sets without and with a table of slots, and a policy with every kind of pattern, to be damaged.
let originals: [[UInt8]] = {
    let positions: [PinPosition] = [.any, .leaf, .issuer, .anchor]
    let roles: [PinRole] = [.primary, .backup, .forbidden]
    let members = pins.enumerated().map { index, pin in
        PinSet.Member(pin: pin, position: positions[index % 4], role: roles[index % 3])
    }
    let hosts = [
        "host.example", "*.host.example", "**.host.example", "a.host.example", "**.b.example", "192.0.2.1",
        "[2001:db8::1]", "**.d.c.b.example", "*.only.example",
    ]
    let entries = hosts.enumerated().map { index, host in
        PinPolicy.Entry(
            host: host,
            pins: pins[2..<(index % 2 == 0 ? 4 : 16)].map { PositionedPin($0, at: positions[index % 4]) },
            backup: .pins([PositionedPin(pins[1], at: .anchor)]),
            expiry: index % 3 == 0 ? nil : Int64(index),
            mode: index % 2 == 0 ? .enforce : .reportOnly,
            forbidden: index % 4 == 0 ? [pins[0]] : []
        )
    }
    guard let small = try? PinSet(compiling: Array(members.prefix(5))), let large = try? PinSet(compiling: members),
        let policy = try? PinPolicy(compiling: entries, version: 1, at: 0)
    else { preconditionFailure("no images to begin with") }
    return [small.image, large.image, policy.image]
}()

let hosts = [
    "host.example", "a.host.example", "b.a.host.example", "x.host.example", "b.example", "c.b.example",
    "z.d.c.b.example", "y.z.d.c.b.example", "192.0.2.1", "192.0.2.2", "[2001:db8::1]", "[2001:db8::2]",
    "only.example", "a.only.example", "b.a.only.example", "example", "nothing.example",
].compactMap { try? Hostname(parsing: $0) }

/// What the table in `HostPattern` says, read from the text.
func covers(_ pattern: String, _ host: String) -> Bool {
    if pattern.hasPrefix("**.") {
        let base = String(pattern.dropFirst(3))
        return host == base || host.hasSuffix("." + base)
    }
    guard pattern.hasPrefix("*.") else { return host == pattern }
    let rest = pattern.dropFirst()
    return host.hasSuffix(rest) && !host.dropLast(rest.count).contains(".") && host.count > rest.count
}

func check(_ set: PinSet) {
    for member in set.members { precondition(set.member(for: member.pin) == member, "a pin is not found") }
    let found = Set(set.members.map(\.pin))
    precondition(found.count == set.count, "a pin is there twice")
    for pin in pins { precondition(set.contains(pin) == found.contains(pin), "a wrong yes or no") }
}

func check(_ policy: PinPolicy) {
    precondition(policy.entries.count == policy.entryCount)
    for (index, host) in hosts.enumerated() {
        let (chain, keys) = chains[index % chains.count]
        let verdict = policy.verdict(for: host, chain: chain, now: Int64(index))
        let deciding: Int
        switch verdict {
        case .notPinned(let absence):
            switch absence.reason {
            case .noPattern: break
            case .onlySubdomainsArePinned(let entry), .onlyOneLabelIsPinned(let entry):
                precondition(entry < policy.entryCount && !covers(policy.pattern(ofEntry: entry), "\(host)"))
            }
            continue
        case .matched(let match):
            let member = policy.pins(ofEntry: match.entry).member(for: match.pin)
            precondition(keys[match.certificateIndex] == match.pin, "a match with a key that is not there")
            precondition(member?.position == match.position && member?.role != .forbidden, "a match without a pin")
            precondition(match.position.accepts(index: match.certificateIndex, of: keys.count))
            deciding = match.entry
        case .mismatched(let mismatch), .reportOnlyMismatch(let mismatch):
            precondition(!mismatch.explanation.isEmpty)
            deciding = mismatch.entry
        case .expiredPolicy(let expiry):
            precondition(expiry.now >= expiry.expiry)
            deciding = expiry.entry
        case .forbiddenKey(let key):
            precondition(keys[key.certificateIndex] == key.pin)
            precondition(policy.pins(ofEntry: key.entry).member(for: key.pin)?.role == .forbidden)
            deciding = key.entry
        }
        let pattern = policy.pattern(ofEntry: deciding)
        precondition(covers(pattern, "\(host)"), "\(pattern) decides for \(host)")
    }
}

/// One input: an image, one byte, then places in it and what to write there, three bytes each; or, behind a larger first
/// byte, the contents of a set or of a policy. A fuzzer does not guess a SHA-256, so the checksum is made to fit.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let choice = input.first.map({ Int($0) % (originals.count + 2) }) else { return 0 }
    var image: [UInt8]
    if choice < originals.count {
        image = originals[choice]
        let end = image.count - PinImage.checksumLength
        for change in stride(from: 1, to: count - 2, by: 3) {
            image[(Int(input[change]) | Int(input[change + 1]) << 8) % end] = input[change + 2]
        }
        image.removeLast(PinImage.checksumLength)
        image += Pin(hashing: image.span).bytes
    } else {
        let kind = choice == originals.count ? PinImage.Kind.set : .policy
        image = PinImage.make(kind, version: 1, contents: Array(input.dropFirst()))
    }
    if let set = try? PinSet(image: image) {
        // A set has no version, so one that is written into its image is lost.
        precondition(
            set.image.dropFirst(PinImage.headerLength).dropLast(PinImage.checksumLength)
                == image.dropFirst(PinImage.headerLength).dropLast(PinImage.checksumLength)
        )
        check(set)
    }
    if let policy = try? PinPolicy(image: image) {
        precondition(policy.image == image, "a policy is written otherwise than it was read")
        check(policy)
    }
    return 0
}

// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}

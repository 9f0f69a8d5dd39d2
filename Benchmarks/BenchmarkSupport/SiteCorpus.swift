internal import TestSupport

/// Lists of sites, and hosts to look up in them, the same on every machine for the same seed.
///
/// Seven rules of ten are names, three wildcards. Names have two to five labels, the last one is `com` for nearly half of
/// them, one name of fourteen lies below one of a few providers, and the mean name has 21 bytes. A shorter list is the
/// beginning of a longer one.
package struct SiteCorpus {
    private var generator: SeededGenerator
    /// The name of each rule, without `*.`.
    package private(set) var names: [[UInt8]] = []
    package private(set) var isWildcard: [Bool] = []

    private static let topLevels = [
        "com", "net", "org", "de", "ru", "co.uk", "cn", "info", "io", "nl", "fr", "com.br", "eu", "it", "pl", "jp",
        "online",
        "shop", "app", "dev", "xyz", "site", "cloud", "in", "ca", "com.au", "es", "ch", "us", "tech",
    ]
    private static let providers = [
        "cloudfront.net", "amazonaws.com", "blogspot.com", "github.io", "azurewebsites.net", "herokuapp.com",
    ]
    private static let services = [
        "www", "mail", "api", "cdn", "static", "img", "login", "ads", "shop", "blog", "dev", "portal", "assets",
        "track",
    ]
    private static let letters = [UInt8]("etaoinsrhldcumfpgwybvkxjqz".utf8)

    package init(seed: UInt64, count: Int) {
        generator = SeededGenerator(seed: seed)
        names.reserveCapacity(count)
        var seen: Set<[UInt8]> = []
        var registrable: [[UInt8]] = []
        while names.count < count {
            let isBelow = chance(30)
            var name: [UInt8]
            if chance(7) {
                name = label(6...18) + dot + Array(Self.providers[skewed(Self.providers.count)].utf8)
            } else {
                if registrable.isEmpty || chance(63) {
                    let top = chance(46) ? 0 : skewed(Self.topLevels.count)
                    registrable.append(label(4...20) + dot + Array(Self.topLevels[top].utf8))
                }
                name = registrable[Int(next() % UInt64(registrable.count))]
                var extra = chance(60) ? 1 : 0
                if extra == 1, chance(30) { extra = 2 }
                for _ in 0..<extra { name = service() + dot + name }
            }
            let key = (isBelow ? [UInt8(ascii: "*"), UInt8(ascii: ".")] : []) + name
            guard seen.insert(key).inserted else { continue }
            names.append(name)
            isWildcard.append(isBelow)
        }
    }

    private var dot: [UInt8] { [UInt8(ascii: ".")] }

    package mutating func next() -> UInt64 { generator.next() }

    private mutating func chance(_ percent: UInt64) -> Bool { next() % 100 < percent }

    /// Small numbers more often than large ones.
    private mutating func skewed(_ count: Int) -> Int {
        let (one, other) = (Int(next() % UInt64(count)), Int(next() % UInt64(count)))
        return one * other / count
    }

    private mutating func label(_ lengths: ClosedRange<Int>) -> [UInt8] {
        let length = lengths.lowerBound + Int(next() % UInt64(lengths.count))
        return (0..<length).map { index in
            if chance(4) { return UInt8(ascii: "0") + UInt8(next() % 10) }
            if chance(2), index > 0, index < length - 1 { return UInt8(ascii: "-") }
            return Self.letters[skewed(Self.letters.count)]
        }
    }

    private mutating func service() -> [UInt8] {
        if chance(60) { return Array(Self.services[skewed(Self.services.count)].utf8) }
        return label(2...9)
    }
}

extension SiteCorpus {
    /// The list as text.
    package func text() -> [UInt8] {
        var text = [UInt8]("#! allow-public-suffix\n".utf8)
        for (name, isWildcard) in zip(names, isWildcard) {
            if isWildcard { text += [UInt8(ascii: "*"), UInt8(ascii: ".")] }
            text += name
            text.append(UInt8(ascii: "\n"))
        }
        return text
    }

    /// A host that rule `index` covers.
    private mutating func host(of index: Int) -> [UInt8] {
        guard isWildcard[index] else { return names[index] }
        return service() + dot + (chance(20) ? service() + dot : []) + names[index]
    }

    /// Hosts on the list, all equally often.
    package mutating func hits(_ count: Int) -> [[UInt8]] {
        (0..<count).map { _ in host(of: Int(next() % UInt64(names.count))) }
    }

    /// Hosts on the list, the *n*-th most frequent one a *n*-th as often as the first.
    package mutating func zipfHits(_ count: Int) -> [[UInt8]] {
        (0..<count).map { _ in
            // The inverse of the integral of 1/x.
            let part = Double(next() >> 11) / Double(1 << 53)
            let rank = power(Double(names.count), part)
            return host(of: min(Int(rank) * 2_654_435_761 % names.count, names.count - 1))
        }
    }

    /// Hosts that look like some on the list: new ones, glued ones, another top level, a typing mistake, deeper ones.
    package mutating func nearMisses(_ count: Int) -> [[UInt8]] {
        let rules = RuleSet(self)
        return (0..<count).map { kind in
            while true {
                let index = Int(next() % UInt64(names.count))
                var name = names[index]
                switch kind % 5 {
                case 0: name = service() + dot + label(5...14) + dot + Array("com".utf8)
                case 1: name = Array("evil".utf8) + name
                case 2:
                    name =
                        (name.split(separator: UInt8(ascii: ".")).dropLast().joined(separator: dot))
                        + Array(".test".utf8)
                case 3:
                    let place = Int(next() % UInt64(name.count))
                    guard name[place] != UInt8(ascii: ".") else { continue }
                    name[place] = Self.letters[Int(next() % 26)]
                default:
                    guard !isWildcard[index] else { continue }
                    name = service() + dot + name
                }
                if !rules.cover(name) { return name }
            }
        }
    }

    private func power(_ base: Double, _ exponent: Double) -> Double {
        // Repeated squaring of the fraction's bits: exact enough, and the same everywhere.
        var result = 1.0
        var (root, rest) = (base.squareRoot(), exponent * 2)
        for _ in 0..<40 {
            if rest >= 1 {
                result *= root
                rest -= 1
            }
            root = root.squareRoot()
            rest *= 2
        }
        return result
    }
}

/// The rules as sets, to check that each generated miss is a miss.
private struct RuleSet {
    private var names: Set<[UInt8]> = []
    private var parents: Set<ArraySlice<UInt8>> = []

    init(_ corpus: SiteCorpus) {
        for (name, isWildcard) in zip(corpus.names, corpus.isWildcard) {
            if isWildcard { parents.insert(name[...]) } else { names.insert(name) }
        }
    }

    func cover(_ name: [UInt8]) -> Bool {
        if names.contains(name) { return true }
        var rest = name[...]
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[(dot + 1)...]
            if parents.contains(rest) { return true }
        }
        return false
    }
}

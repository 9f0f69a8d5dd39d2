import AllowedSites
import BenchmarkSupport
import Foundation
import Hostnames

/// The usual first implementation: networks in the order of addresses, each with the next wider one, and a binary search.
struct SortedNetworks {
    private var networks: [(address: UInt128, length: Int)] = []
    private var addresses: [UInt64] = []
    private var parents: [Int32] = []

    mutating func add(_ address: UInt128, _ length: Int) { networks.append((address, length)) }

    mutating func sort() {
        networks.sort { ($0.address, $0.length) < ($1.address, $1.length) }
        // No network of these lists is narrower than 64 bits.
        addresses = networks.map { UInt64(truncatingIfNeeded: $0.address >> 64) }
        var around: [Int] = []
        for index in networks.indices {
            while let last = around.last, !contains(last, addresses[index]) { around.removeLast() }
            parents.append(Int32(around.last ?? -1))
            around.append(index)
        }
    }

    private func contains(_ index: Int, _ address: UInt64) -> Bool {
        (addresses[index] ^ address) >> UInt64(64 - networks[index].length) == 0
    }

    /// The position of the narrowest network around an address, or -1.
    func narrowest(around address: UInt128) -> Int {
        let wanted = UInt64(truncatingIfNeeded: address >> 64)
        var (last, left) = (0, addresses.count)
        while left > 1 {
            let half = left / 2
            if addresses[last + half] <= wanted { last += half }
            left -= half
        }
        var index = last
        while index >= 0, !contains(index, wanted) { index = Int(parents[index]) }
        return index
    }
}

/// Networks of random lengths at random places, as text, and addresses to ask for; those of IPv6 within one of `prefix` bits.
func measureNetworks(_ count: Int, isIPv6: Bool, prefix: Int = 0) throws {
    var corpus = SiteCorpus(seed: 2, count: 1)
    var rules: Set<String> = []
    var peer = SortedNetworks()
    var hosts: [Hostname] = []
    while rules.count < count {
        let bits = UInt128(corpus.next()) << 64 | UInt128(corpus.next())
        let lengths = isIPv6 ? max(29, prefix + 20)...64 : 16...32
        let length = lengths.lowerBound + Int(corpus.next() % UInt64(lengths.count))
        let network: UInt128
        if isIPv6 {
            let outer: UInt128 = 0x2001_0db8 << 96 & (UInt128.max << UInt128(128 - prefix))
            network = (bits >> UInt128(prefix) | outer) & (UInt128.max << UInt128(128 - length))
            let isNew = rules.insert("[\(IPv6Address(rawValue: network))]/\(length)").inserted
            if isNew { peer.add(network, length) }
        } else {
            network = bits & (UInt128.max << UInt128(128 - length))
            let isNew = rules.insert("\(IPv4Address(rawValue: UInt32(network >> 96)))/\(length)").inserted
            if isNew { peer.add(network, length) }
        }
        if hosts.count < 500_000 {
            let inside = network | (bits.byteSwapped >> UInt128(length))
            hosts.append(
                Hostname(
                    form: isIPv6
                        ? .ipv6(IPv6Address(rawValue: inside)) : .ipv4(IPv4Address(rawValue: UInt32(inside >> 96)))
                )
            )
        }
    }
    hosts.shuffle()
    let sites = try SiteList(parsing: rules.sorted().joined(separator: "\n"), name: "networks")
    var builder = SiteTrieBuilder()
    builder.add(sites)
    let start = processSeconds()
    let trie = builder.build(keepingLines: false)
    let built = processSeconds() - start
    peer.sort()
    let addresses = hosts.map { host in
        switch host.form {
        case .name: UInt128(0)
        case .ipv4(let address): UInt128(address.rawValue) << 96
        case .ipv6(let address): address.rawValue
        }
    }
    var (best, bestOfPeer) = (Double.infinity, Double.infinity)
    var (found, foundByPeer) = (0, 0)
    for _ in 0..<5 {
        (found, foundByPeer) = (0, 0)
        var begin = processSeconds()
        for host in hosts where trie.networkNumber(of: host) >= 0 { found += 1 }
        best = min(best, (processSeconds() - begin) * 1e9 / Double(hosts.count))
        begin = processSeconds()
        for address in addresses where peer.narrowest(around: address) >= 0 { foundByPeer += 1 }
        bestOfPeer = min(bestOfPeer, (processSeconds() - begin) * 1e9 / Double(hosts.count))
    }
    let bytes = Double(trie.imageSize) / Double(trie.count)
    print(
        "\(isIPv6 ? "IPv6" : "IPv4") networks \(trie.count)\(isIPv6 ? " in one of \(prefix) bits" : ""): \(String(format: "%.1f ns, %.1f bytes a rule, built in %.2f s", best, bytes, built)), \(found) found;",
        "binary search \(String(format: "%.1f", bestOfPeer)) ns, \(foundByPeer) found"
    )
}

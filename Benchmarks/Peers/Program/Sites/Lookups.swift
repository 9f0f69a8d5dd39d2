import AllowedSites
import BenchmarkSupport
import Foundation
import Hostnames
import PeerComparison

func processSeconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

func load(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

func write(_ bytes: [UInt8], _ path: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

func generate(_ count: Int, _ folder: String) throws {
    var corpus = SiteCorpus(seed: 1, count: count)
    try write(corpus.text(), folder + "/list")
    let queries = 500_000
    for (name, hosts) in [
        ("hit", corpus.hits(queries)), ("zipf", corpus.zipfHits(queries)), ("miss", corpus.nearMisses(queries)),
    ] {
        try write(Array(hosts.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")], folder + "/" + name)
    }
}

/// What follows the host in each URL; the peers use the same.
private let restOfURL = "/articles/of/today?page=2"

/// The verdicts of the public calls: for origins that are parsed before, and for URLs as strings.
private func measure(_ trie: SiteTrie, _ path: String, _ prefix: String, _ suffix: String) throws {
    let hosts = try load(path).split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    let origins = try hosts.map { try Origin(parsing: "https://" + $0) }
    let urls = hosts.map { "https://" + $0 + restOfURL }
    let label = URL(fileURLWithPath: path).lastPathComponent
    func report(_ kind: String, _ countAllowed: () -> Int) {
        var best = Double.infinity
        var found = 0
        for _ in 0..<2 {
            let begin = processSeconds()
            found = countAllowed()
            best = min(best, (processSeconds() - begin) * 1e9 / Double(hosts.count))
        }
        print("\(prefix) \(label)\(kind) \(String(format: "%.1f", best)) \(suffix) \(found)")
    }
    // By index of a span, because a loop over the array would retain each element.
    report("") {
        let origins = origins.span
        var found = 0
        for index in origins.indices where trie.verdict(for: origins[index], path: "/").isAllowed { found &+= 1 }
        return found
    }
    // Zero, which neither the compiler nor the processor knows: each lookup waits for the one before.
    let nothing = CommandLine.arguments.count > 1000 ? 1 : 0
    report("-dependent") {
        let origins = origins.span
        var found = 0
        for index in origins.indices where trie.verdict(for: origins[index &+ found & nothing], path: "/").isAllowed {
            found &+= 1
        }
        return found
    }
    report("-url") {
        let urls = urls.span
        var found = 0
        for index in urls.indices where trie.verdict(forURL: urls[index]).isAllowed { found &+= 1 }
        return found
    }
}

func measureVerdicts(_ list: String, _ hosts: [String], _ layout: TrieLayout) throws {
    let text = try load(list)
    let parseStart = processSeconds()
    let sites = try SiteList(parsing: text.span, name: "list")
    let start = processSeconds()
    var builder = SiteTrieBuilder()
    builder.add(sites)
    let trie = builder.build(layout: layout)
    let built = processSeconds() - start
    FileHandle.standardError.write(
        Data(
            "parse \(start - parseStart) s, build \(built) s, text \(text.count), image \(trie.imageSize)\n\(trie.sizes)\n"
                .utf8
        )
    )
    let bytes = Double(trie.imageSize) / Double(trie.count)
    for path in hosts {
        let suffix = String(format: "%.1f %.2f", bytes, built)
        try measure(trie, path, layout == .fast ? "sallyport" : "sallyport-compact", suffix)
    }
}

/// The time from the bytes of a URL to its verdict, and from a string.
func measureURLs(_ list: String, _ hosts: [String]) throws {
    let text = try load(list)
    let trie = SiteTrie(compiling: try SiteList(parsing: text.span, name: "list"))
    for path in hosts {
        let names = try load(path).split(separator: UInt8(ascii: "\n")).prefix(100_000)
        let urls = names.map { "https://\(String(decoding: $0, as: UTF8.self))/articles/of/today?page=2" }
        let bytes = Array(urls.joined().utf8)
        var starts = [0]
        for url in urls { starts.append(starts[starts.count - 1] + url.utf8.count) }
        func report(_ kind: String, _ round: () -> Int) {
            var best = Double.infinity
            var found = 0
            for _ in 0..<40 {
                let begin = processSeconds()
                found = round()
                best = min(best, (processSeconds() - begin) * 1e9 / Double(urls.count))
            }
            let label = URL(fileURLWithPath: path).lastPathComponent
            print("sallyport-\(kind) \(label) \(String(format: "%.1f", best)) \(found)")
        }
        report("url-bytes") {
            unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe starts.withUnsafeBufferPointer { starts in
                    var found = 0
                    for index in 0..<urls.count {
                        let url = unsafe UnsafeBufferPointer(rebasing: bytes[starts[index]..<starts[index &+ 1]])
                        if unsafe trie.verdict(forURL: url).isAllowed { found &+= 1 }
                    }
                    return found
                }
            }
        }
        report("url-string") { urls.reduce(0) { trie.verdict(forURL: $1).isAllowed ? $0 &+ 1 : $0 } }
    }
}

/// The longest possible names, with a list that has wildcards at every depth, and unusual URLs.
func measureWorst(_ list: String) throws {
    var text = try load(list)
    // Wildcards above 1, 2, … 126 labels, none of them above what is asked for.
    for depth in 3...126 {
        text += Array(("*." + Array(repeating: "z", count: depth).joined(separator: ".") + "\n").utf8)
    }
    let trie = SiteTrie(compiling: try SiteList(parsing: text.span, name: "list"))
    let allocations = Allocations()
    let labels = Array(repeating: "a", count: 127).joined(separator: ".")
    let known = Array(repeating: "z", count: 127).joined(separator: ".")
    let almost =
        Array(repeating: "a", count: 63).joined(separator: ".") + "."
        + Array(repeating: "z", count: 64).joined(separator: ".")
    let wide = Array(repeating: String(repeating: "w", count: 62), count: 4).joined(separator: ".")
    for (name, host) in [
        ("127 labels", labels), ("127 labels, allowed", known), ("127 labels, allowed by 64", almost),
        ("251 bytes, 4 labels", wide), ("short", "www.host.example"), ("IPv4", "10.1.2.3"), ("IPv6", "[2001:db8::1]"),
    ] {
        let origin = try Origin(parsing: "https://\(host)")
        let url = Array("https://\(host)/a/path?query".utf8)
        func report(_ kind: String, _ ask: () -> Bool) {
            var best = Double.infinity
            _ = ask()
            let before = allocations?.soFar ?? 0
            for _ in 0..<20 {
                let begin = processSeconds()
                for _ in 0..<2000 { _ = ask() }
                best = min(best, (processSeconds() - begin) * 1e9 / 2000)
            }
            let taken =
                allocations.map { String(format: ", %.3f allocations", Double($0.soFar - before) / 40_000) } ?? ""
            print("\(name), \(kind): \(String(format: "%.0f", best)) ns\(taken), \(ask() ? "yes" : "no")")
        }
        report("from an origin") { trie.verdict(for: origin, path: "/a/path").isAllowed }
        report("from a URL") {
            unsafe url.withUnsafeBufferPointer { unsafe trie.verdict(forURL: $0).isAllowed }
        }
    }
}

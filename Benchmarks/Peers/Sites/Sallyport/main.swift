import AllowedSites
import BenchmarkSupport
import Foundation
import Hostnames

// sites-meter generate COUNT FOLDER: a list and hosts to ask for.
// sites-meter build LIST: time and memory for compiling it.
// sites-meter open LIST: mapping the image of a list. first IMAGE: the same and nothing before it, in this process.
// sites-meter networks COUNT: random networks of IPv4, of 2000::/3 and of 2001:db8::/32, beside a binary search in the same networks.
// sites-meter urls LIST HOSTS…: whole https:// URLs, each 50 bytes or so, from text to verdict.
// sites-meter worst LIST: hosts that cost most, and what a lookup takes from the heap (with ../allocations.c preloaded).
// sites-meter run LIST HOSTS…: engine, case, nanoseconds a host, bytes a rule, seconds to build, hosts found; run-compact: the
// same of the compact layout.

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

func measure(_ trie: SiteTrie, _ path: String, _ prefix: String, _ suffix: String) throws {
    let text = try load(path)
    var starts: [Int] = [0]
    for index in text.indices where text[index] == UInt8(ascii: "\n") { starts.append(index + 1) }
    let count = starts.count - 1
    let label = URL(fileURLWithPath: path).lastPathComponent
    for isDependent in [false, true] {
        var best = Double.infinity
        var found = 0
        for _ in 0..<2 {
            found = 0
            unsafe text.withUnsafeBytes { text in
                unsafe starts.withUnsafeBufferPointer { starts in
                    var shift = 0
                    let begin = processSeconds()
                    for index in 0..<count {
                        let start = unsafe starts[index &+ shift]
                        let length = unsafe starts[index &+ shift &+ 1] &- 1 &- start
                        let name = unsafe UnsafeRawBufferPointer(rebasing: text[start..<start &+ length])
                        let number = unsafe trie.placeNumber(ofName: name)
                        if number >= 0 { found &+= 1 }
                        if isDependent { shift = (number &+ 1) &>> 62 }
                    }
                    best = min(best, (processSeconds() - begin) * 1e9 / Double(count))
                }
            }
        }
        print("\(prefix) \(label)\(isDependent ? "-dependent" : "") \(String(format: "%.1f", best)) \(suffix) \(found)")
    }
}

/// Many hosts in one call.
func measureBatch(_ trie: SiteTrie, _ path: String, _ suffix: String) throws {
    let text = try load(path)
    var names: [(start: Int, end: Int)] = []
    var start = 0
    for index in text.indices where text[index] == UInt8(ascii: "\n") {
        names.append((start, index))
        start = index + 1
    }
    var numbers = [Int](repeating: 0, count: names.count)
    var best = Double.infinity
    for _ in 0..<2 {
        let begin = processSeconds()
        unsafe text.withUnsafeBytes { text in
            unsafe names.withUnsafeBufferPointer { names in
                unsafe numbers.withUnsafeMutableBufferPointer { numbers in
                    unsafe trie.placeNumbers(in: text, names, into: numbers)
                }
            }
        }
        best = min(best, (processSeconds() - begin) * 1e9 / Double(names.count))
    }
    let label = URL(fileURLWithPath: path).lastPathComponent
    print("sallyport-batch \(label) \(String(format: "%.1f", best)) \(suffix) \(numbers.count { $0 >= 0 })")
}

func run(_ list: String, _ hosts: [String], _ layout: TrieLayout) throws {
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
        if layout == .fast { try measureBatch(trie, path, suffix) }
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

/// The number of heap allocations so far; `nil` without the preloaded counter.
func allocationCounter() -> (() -> UInt64)? {
    guard let process = unsafe dlopen(nil, RTLD_NOW), let symbol = unsafe dlsym(process, "sallyport_allocations") else {
        return nil
    }
    // That is its type: the preloaded file defines it.
    let counter = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> UInt64).self)
    return { counter() }
}

/// The longest names there are, against a list that has wildcards at every depth, and unusual URLs.
func measureWorst(_ list: String) throws {
    var text = try load(list)
    // Wildcards above 1, 2, … 126 labels, none of them above what is asked for.
    for depth in 3...126 {
        text += Array(("*." + Array(repeating: "z", count: depth).joined(separator: ".") + "\n").utf8)
    }
    let trie = SiteTrie(compiling: try SiteList(parsing: text.span, name: "list"))
    let allocations = allocationCounter()
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
            let before = allocations?() ?? 0
            for _ in 0..<20 {
                let begin = processSeconds()
                for _ in 0..<2000 { _ = ask() }
                best = min(best, (processSeconds() - begin) * 1e9 / 2000)
            }
            let taken = allocations.map { String(format: ", %.3f allocations", Double($0() - before) / 40_000) } ?? ""
            print("\(name), \(kind): \(String(format: "%.0f", best)) ns\(taken), \(ask() ? "yes" : "no")")
        }
        report("from an origin") { trie.verdict(for: origin, path: "/a/path").isAllowed }
        report("from a URL") {
            unsafe url.withUnsafeBufferPointer { unsafe trie.verdict(forURL: $0).isAllowed }
        }
    }
}

let arguments = CommandLine.arguments
if arguments.count == 4, arguments[1] == "generate", let count = Int(arguments[2]) {
    try generate(count, arguments[3])
} else if arguments.count > 3, arguments[1] == "run" {
    try run(arguments[2], Array(arguments[3...]), .fast)
} else if arguments.count > 3, arguments[1] == "run-compact" {
    try run(arguments[2], Array(arguments[3...]), .compact)
} else if arguments.count > 3, arguments[1] == "urls" {
    try measureURLs(arguments[2], Array(arguments[3...]))
} else if arguments.count == 3, arguments[1] == "worst" {
    try measureWorst(arguments[2])
} else if arguments.count == 3, arguments[1] == "build" {
    try measureCompiling(arguments[2])
} else if arguments.count == 3, arguments[1] == "open" {
    try measureOpening(arguments[2])
} else if arguments.count == 3, arguments[1] == "first" {
    try measureFirstAnswer(arguments[2])
} else if arguments.count == 3, arguments[1] == "networks", let count = Int(arguments[2]) {
    try measureNetworks(count, isIPv6: false)
    // As addresses are given out, and as one organisation has them.
    for prefix in [3, 32] { try measureNetworks(count, isIPv6: true, prefix: prefix) }
} else {
    print(
        "usage: SitesMeter generate COUNT FOLDER | run LIST HOSTS… | run-compact LIST HOSTS… | urls LIST HOSTS… | worst LIST | networks COUNT | build LIST | open LIST | first IMAGE"
    )
}

import CFuzzer

@testable import AllowedSites

/// What is made of bytes that are no list of rules: a list without its bad lines, or a list of another program.
func fuzzOthers(_ bytes: Span<UInt8>) {
    let lenient = try? SiteList(parsing: bytes, name: "lenient", leavingOutBadLines: true)
    let strict = try? SiteList(parsing: bytes, name: "strict")
    precondition(strict == nil || lenient?.count == strict?.count, "a good list is another one without its bad lines")
    for dialect in SiteDialect.allCases {
        guard let reading = try? dialect.read(bytes: bytes, name: "foreign") else { continue }
        if let broken = SiteTrie(compiling: reading.list).brokenInvariant() { preconditionFailure(broken) }
    }
}

/// One input: any bytes as a list of sites.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count))
    fuzzOthers(bytes)
    guard let list = try? SiteList(parsing: bytes, name: "fuzz") else { return 0 }
    let trie = SiteTrie(compiling: list)
    if let broken = trie.brokenInvariant() { preconditionFailure(broken) }
    // Each rule says the same when it is written and read again, and stands in the trie.
    for entry in list.entries {
        // By itself, a rule does not say that it may stand above a public suffix.
        let again = try? SiteList(parsing: "#! allow-public-suffix\n\(entry.rule)", name: "again")
        guard let again else { preconditionFailure("a rule cannot be read as it is written: \(entry.rule)") }
        precondition(
            again.entries.map(\.rule) == [entry.rule],
            "a rule, written and read, is another one: \(entry.rule)"
        )
    }
    // The image of one list is one image, and opens.
    let copy = trie.withImage { image in try? SiteTrie(copyingImage: image) }
    precondition(copy?.count == trie.count, "an image that was just made does not open")
    return 0
}

// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}

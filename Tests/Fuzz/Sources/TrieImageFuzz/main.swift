import CFuzzer

@testable import AllowedSites

/// Images with every kind of rule, with a single plain one and with networks that begin with the same bits, in each layout and
/// with IPv4 networks as ranges, to be damaged.
let originals: [[UInt8]] = {
    let list = """
        #! allow-public-suffix
        a.example
        *.b.example
        !c.b.example:8443
        d.example/path/x
        *://e.example:*
        *.top
        x.y.z.w.v.example
        *.y.z.w.v.example
        10.0.0.0/8
        !10.1.0.0/16
        192.0.2.1/32/7
        [2001:db8::]/32
        ![2001:db8:1::]/48
        a-name-that-is-longer-than-forty-two-bytes.and-has.many.labels.example
        """
    let networks = """
        10.1.0.0/16
        10.128.0.0/9
        [2001:db8:1::]/48
        [2001:db8:8000::]/33
        """
    return [list, "host.example", networks].flatMap { text in
        guard let list = try? SiteList(parsing: text, name: "fuzz") else {
            preconditionFailure("the list cannot be read")
        }
        var builder = SiteTrieBuilder()
        builder.add(list)
        let inEachLayout = TrieLayout.allCases.map { builder.build(layout: $0) }
        return (inEachLayout + [builder.build(keepingLines: true, layout: .fast, rangesFrom: 0)]).map { trie in
            trie.withImage { image in image.indices.map { image[$0] } }
        }
    }
}()

let urls = [
    "https://a.example", "https://z.b.example", "https://c.b.example:8443", "https://d.example/path/x/y",
    "http://e.example:99", "https://q.x.top", "https://x.y.z.w.v.example", "https://q.y.z.w.v.example",
    "https://10.1.2.3",
    "https://192.0.2.1/7", "https://[2001:db8::1]", "https://[2001:db8:1::1]", "https://nothing.example",
    "https://a-name-that-is-longer-than-forty-two-bytes.and-has.many.labels.example", "https://8.8.8.8",
    "https://[::1]",
]

func store(_ value: UInt64, _ bytes: inout [UInt8], at offset: Int) {
    for byte in 0..<8 { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> UInt64(byte * 8)) }
}

/// One input: which image, one byte, then places in an image and what to write there, three bytes each; then both checksums are
/// made to fit.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let original = input.first else { return 0 }
    var image = originals[Int(original) % originals.count]
    for change in stride(from: 1, to: count - 2, by: 3) {
        let place = (Int(input[change]) | Int(input[change + 1]) << 8) % image.count
        image[place] = input[change + 2]
    }
    let content = ImageChecksum.compute(image.span.extracting(TrieImage.headerLength..<image.count))
    store(content, &image, at: TrieImage.Field.checksum)
    let header = TrieImage.headerChecksum(image.span)
    store(header, &image, at: TrieImage.Field.headerChecksum)
    let bytes = image.span
    // The image was not validated, so any verdict is allowed, but the lookup must end.
    if let trusted = try? SiteTrie(copyingImage: bytes, .trusted) {
        for url in urls { _ = (trusted.verdict(forURL: url), trusted.explain(url: url)) }
    }
    guard let forged = try? SiteTrie(copyingImage: bytes) else { return 0 }
    for url in urls {
        let verdict = forged.verdict(forURL: url)
        guard verdict.isAllowed else { continue }
        guard let number = verdict.rule?.position, let rule = forged.image.rule(number), !rule.isException,
            let alone = try? SiteList(parsing: "#! allow-public-suffix\n\(rule)", name: "alone")
        else { preconditionFailure("a yes without a rule") }
        precondition(SiteTrie(compiling: alone).verdict(forURL: url).isAllowed, "\(rule) does not allow \(url)")
    }
    return 0
}

// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}

import Foundation
import TestSupport
import Testing

@testable import AllowedSites

@Suite struct TrieImageTests {
    /// A world with every kind of rule: plain and other names, long ones, networks of both families, paths, exceptions.
    private static let rules = [
        "#! allow-public-suffix", "a.example", "*.b.example", "!c.b.example:8443", "d.example/path/x",
        "*://e.example:*",
        "*.top", "x.y.z.w.v.example", "*.y.z.w.v.example", "10.0.0.0/8", "!10.1.0.0/16", "10.1.2.3:8080",
        "192.0.2.1/32/7",
        "[2001:db8::]/32", "![2001:db8:1::]/48", "[2001:db8:1:2:3:4:5:6]", "http://f.example/a", "f.example/a/b",
        "a-name-that-is-longer-than-thirty-one-bytes.and-has.many.labels.example",
        "*.another-name-that-is-longer-than-thirty-one-bytes.example", "!f.example/a/b/c", "0.0.0.0/0",
    ]

    private static let urls = [
        "https://a.example", "https://x.a.example", "https://z.b.example", "https://c.b.example:8443",
        "https://c.b.example", "https://d.example/path/x/y", "https://d.example/path", "http://e.example:99",
        "https://anything.top", "https://x.y.z.w.v.example", "https://q.y.z.w.v.example", "https://10.1.2.3",
        "https://10.1.2.3:8080", "https://10.2.0.1", "https://192.0.2.1/7", "https://[2001:db8::1]",
        "https://[2001:db8:1::1]", "https://[2001:db8:1:2:3:4:5:6]", "http://f.example/a", "https://f.example/a/b/c",
        "https://a-name-that-is-longer-than-thirty-one-bytes.and-has.many.labels.example",
        "https://1.2.3.another-name-that-is-longer-than-thirty-one-bytes.example", "https://8.8.8.8", "https://[::1]",
        "https://b.example", "https://f.example/a/b", "https://nothing.example",
    ]

    private func list(_ rules: [String], _ form: TrieForm = .fast) throws -> SiteTrie {
        SiteTrie(compiling: try SiteList(parsing: rules.joined(separator: "\n"), name: "rules"), form)
    }

    private func answers(_ trie: SiteTrie) -> [SiteVerdict] { Self.urls.map(trie.verdict(forURL:)) }

    private func open(_ bytes: [UInt8], _ trust: SiteTrie.ImageTrust = .validated) throws(TrieImageError) -> SiteTrie {
        let span = bytes.span
        return try SiteTrie(copyingImage: span, trust)
    }

    @Test("An image answers like the trie that it was made of, copied and mapped", arguments: TrieForm.allCases)
    func roundTrip(form: TrieForm) throws {
        let trie = try list(Self.rules, form)
        #expect(trie.brokenInvariant() == nil)
        let copy = try open(ForgedImage.bytes(trie))
        #expect(answers(copy) == answers(trie))
        let path = TemporaryFolder.path("image")
        try trie.writeImage(to: path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let mapped = try SiteTrie(mappingImageAt: path)
        #expect(answers(mapped) == answers(trie))
        #expect(answers(try SiteTrie(mappingImageAt: path, .trusted)) == answers(trie))
        #expect(mapped.isImageUnchanged())
        #expect(mapped.imageSize == ForgedImage.bytes(trie).count)
        for (url, verdict) in zip(Self.urls, answers(mapped)) {
            guard let rule = verdict.rule else { continue }
            #expect(mapped.listName(of: rule) == "rules", "\(url)")
            #expect(mapped.rule(at: rule) == trie.rule(at: rule), "\(url)")
            let line = Self.rules[rule.line - 1]
            #expect(try mapped.rule(at: rule) == SiteRule(parsing: line, allowingPublicSuffix: true), "\(url)")
        }
    }

    @Test("Images of other versions are refused by name", arguments: [0, 1, 2, 3, 4, 6, UInt8.max])
    func otherVersions(version: UInt8) throws {
        var image = ForgedImage.bytes(try list(Self.rules))
        image[TrieImage.Field.version] = version
        // Whether or not somebody made the checksums fit.
        let error = TrieImageError.unsupportedVersion(found: UInt32(version), supported: 5)
        #expect(throws: error) { try open(image) }
        #expect(throws: error) { try open(ForgedImage.resealed(image), .trusted) }
        #expect(error.description.contains("compile the list again"))
    }

    @Test("Keys of an unknown kind are refused by name", arguments: [2, UInt8.max]) func otherLayouts(layout: UInt8)
        throws
    {
        var image = ForgedImage.bytes(try list(Self.rules))
        image[TrieImage.Field.layout] = layout
        #expect(throws: TrieImageError.unknownLayout(found: UInt32(layout))) {
            try open(ForgedImage.resealed(image), .trusted)
        }
    }

    @Test("What is shorter than a header is an image that was cut off, or something else") func shortTexts() {
        for text in ["host.example\n", "SITETRIP", "sitetrie"] {
            #expect(throws: TrieImageError.notAnImage) { try open(Array(text.utf8)) }
        }
        for text in ["", "SITE", "SITETRIE", "SITETRIE\u{5}"] {
            let error = TrieImageError.truncated(needed: TrieImage.headerLength, available: text.utf8.count)
            #expect(throws: error) { try open(Array(text.utf8)) }
        }
    }

    @Test("An image is told from a list by its first bytes") func marks() throws {
        #expect(SiteTrie.isImage(ForgedImage.bytes(try list(Self.rules))))
        for text in ["SITETRIE.EXAMPLE\n", "SITETRIE", "", "host.example and more"] {
            #expect(!SiteTrie.isImage(Array(text.utf8)))
        }
    }

    @Test("Missing and unsuitable files") func files() throws {
        #expect(throws: TrieImageError.unreadable(errno: 2)) { try SiteTrie(mappingImageAt: "/nowhere/at/all") }
        // ENODEV: no regular file.
        #expect(throws: TrieImageError.unreadable(errno: 19)) { try SiteTrie(mappingImageAt: "/dev/null") }
        let trie = try list(Self.rules)
        #expect(throws: TrieImageError.unwritable(errno: 2)) { try trie.writeImage(to: "/nowhere/at/all") }
    }

    @Test(
        "The same rules make the same bytes in any order, unless lines are kept",
        arguments: Effort.seeds(3, thorough: 8),
        TrieForm.allCases
    )
    func anyOrder(seed: UInt64, form: TrieForm) throws {
        var random = SeededGenerator(seed: seed)
        func image(_ rules: [String]) throws -> [UInt8] {
            var builder = SiteTrieBuilder()
            builder.add(try SiteList(parsing: rules.joined(separator: "\n"), name: "rules"))
            return ForgedImage.bytes(builder.build(keepingLines: false, form: form))
        }
        let many = Self.rules + (0..<300).map { "n\($0 * $0).m\($0 % 7).example" }
        #expect(try image(many) == image(many.shuffled(using: &random)))
        let withoutLines = try open(image(many))
        #expect(withoutLines.verdict(forURL: "https://a.example").rule?.line == 0)
        #expect(withoutLines.brokenInvariant() == nil)
    }

    @Test("A truncation is an error", arguments: TrieForm.allCases) func truncations(form: TrieForm) throws {
        let image = ForgedImage.bytes(try list(Self.rules, form))
        // Each length of the header, and behind it as many as an ordinary run has time for.
        let step = Effort.isThorough ? 1 : 11
        for count in 0..<image.count where count < TrieImage.headerLength || count % step == 0 {
            let short = Array(image[..<count])
            #expect(throws: TrieImageError.self) { try open(short) }
            #expect(throws: TrieImageError.self) { try open(short, .trusted) }
            if count >= TrieImage.headerLength {
                #expect(throws: TrieImageError.self) { try open(ForgedImage.resealed(short)) }
            }
        }
        #expect(throws: TrieImageError.trailingBytes(expected: image.count, available: image.count + 1)) {
            try open(image + [0])
        }
    }

    @Test("A flipped bit is an error", arguments: Effort.seeds(1, thorough: 8), TrieForm.allCases)
    func flippedBits(seed: UInt64, form: TrieForm) throws {
        var random = SeededGenerator(seed: seed)
        let trie = try list(Self.rules, form)
        let good = answers(trie)
        var image = ForgedImage.bytes(trie)
        for _ in 0..<Effort.rounds(300, thorough: 12_500) {
            let place = Int.random(in: 0..<image.count, using: &random)
            let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            image[place] ^= bit
            #expect(throws: TrieImageError.self, "\(place) \(bit)") { try open(image) }
            // The image was not validated, so any verdict is allowed, but the lookup must end.
            if let trusted = try? open(image, .trusted) { _ = answers(trusted) }
            image[place] ^= bit
        }
        #expect(answers(try open(image)) == good)
    }

    @Test("A forged image is an error or a consistent list", arguments: Effort.seeds(2, thorough: 8), TrieForm.allCases)
    func forgeries(seed: UInt64, form: TrieForm) throws {
        var random = SeededGenerator(seed: seed)
        let trie = try list(Self.rules, form)
        let original = ForgedImage.bytes(trie)
        var refused = 0
        let rounds = Effort.rounds(150, thorough: 1500)
        for _ in 0..<rounds {
            var image = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<image.count, using: &random)
                image[place] = UInt8.random(in: 0...255, using: &random)
            }
            image = ForgedImage.resealed(image)
            if let trusted = try? open(image, .trusted) { _ = answers(trusted) }
            let forged: SiteTrie
            do throws(TrieImageError) {
                forged = try open(image)
            } catch {
                refused += 1
                continue
            }
            // Only lines, ports and the like can have changed; whatever is allowed stands in a rule that can be told.
            for (url, verdict) in zip(Self.urls, answers(forged)) where verdict.isAllowed {
                let rule = try #require(verdict.rule)
                let number = rule.position
                let told = try #require(forged.image.rule(number), "\(url)")
                #expect(!told.isException)
                let alone = SiteTrie(
                    compiling: try SiteList(parsing: "#! allow-public-suffix\n\(told)", name: "alone")
                )
                #expect(alone.verdict(forURL: url).isAllowed, "\(url) \(told)")
            }
        }
        #expect(refused > rounds / 5)
    }

    @Test("A hash by which keys fall together is refused, though the checksums fit", arguments: TrieForm.allCases)
    func evenSeed(form: TrieForm) throws {
        var image = ForgedImage.bytes(try list(Self.rules, form))
        image[TrieImage.Field.seed + 16] &= 0xFE
        let forged = ForgedImage.resealed(image)
        #expect(throws: TrieImageError.seed) { try open(forged) }
        #expect(throws: TrieImageError.seed) { try open(forged, .trusted) }
    }

    @Test("Counts whose product is beyond any integer are refused", arguments: TrieForm.allCases)
    func hugeCounts(form: TrieForm) throws {
        var image = ForgedImage.bytes(try list(["host.example"], form))
        for byte in 0..<4 {
            image[TrieImage.Field.slotCount + byte] = 0xFF
            image[TrieImage.Field.originBits + byte] = 0xFF
        }
        let forged = ForgedImage.resealed(image)
        #expect(throws: TrieImageError.self) { try open(forged) }
        #expect(throws: TrieImageError.self) { try open(forged, .trusted) }
    }

    @Test("Tables that lie over each other are refused", arguments: TrieForm.allCases)
    func overlappingTables(form: TrieForm) throws {
        let trie = try list(Self.rules, form)
        let used = (1..<TrieImage.keyTableCount).filter {
            Int(trie.image.keyTable($0).firstNumber) < trie.image.slotCount
        }
        let (first, second) = (try #require(used.first), try #require(used.dropFirst().first))
        var image = ForgedImage.bytes(trie)
        let tables = trie.image.range(of: .keyTables).lowerBound
        // The second begins where the first does.
        for byte in 0..<8 {
            let entry = { tables + $0 * TrieImage.keyTableStride + byte }
            image[entry(second)] = image[entry(first)]
        }
        let forged = ForgedImage.resealed(image)
        #expect(throws: TrieImageError.keyTable(keyLength: second)) { try open(forged) }
    }

    @Test("Random bytes are not an image", arguments: Effort.seeds(16, thorough: 64)) func randomBytes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = random.bytes(Int.random(in: 0...8192, using: &random))
        #expect(throws: TrieImageError.self) { try open(bytes) }
        if bytes.count >= TrieImage.headerLength {
            for byte in 0..<8 { bytes[byte] = UInt8(truncatingIfNeeded: TrieImage.magic >> UInt64(byte * 8)) }
            for byte in 8..<16 { bytes[byte] = byte == 8 ? UInt8(TrieImage.version) : 0 }
            #expect(throws: TrieImageError.self) { try open(ForgedImage.resealed(bytes)) }
        }
    }

    @Test("Errors say what is wrong in one line") func descriptions() {
        let errors: [TrieImageError] = [
            .unreadable(errno: 2), .truncated(needed: 384, available: 3), .trailingBytes(expected: 1, available: 2),
            .notAnImage, .unknownLayout(found: 7), .unsupportedVersion(found: 9, supported: 1),
            .checksum(found: 10, expected: 11),
            .seed, .section(number: 1, offset: 2, length: 3), .keyTable(keyLength: 4), .key(number: 5),
            .ruleList(number: 6),
            .constraint(number: 7), .path(number: 8), .network(number: 9), .unwritable(errno: 13),
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
        for error in errors { #expect(!error.description.contains("\n")) }
    }
}

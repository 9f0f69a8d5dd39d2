import PinFormats
import SPKIPins
import Testing

/// TLSA records as zones have them. What a text means is what BIND 9.18's `named-compilezone -i none -o - host.example`
/// printed of it, and ldns 1.8.3's `ldns-read-zone` for the acronyms, which BIND does not read.
@Suite struct TLSAZoneTests {
    /// The two pins of RFC 7469 2.1.5 in hexadecimal digits.
    private static let first = "77aab346ef7338409bf7451ecf6ef15a5b4db23d1ed4c77b1a4618915a195a63"
    private static let second = "13d099f483436ddfb6791428cd8aaa6d0db25cb54a07dfb1729acc17ee385358"
    private static let owner = "_443._tcp.host.example."

    private func read(_ text: String) throws -> PinDocument { try PinFormat.tlsa.read(Array(text.utf8)) }

    private func pin(_ text: String, _ position: PinPosition) throws -> PositionedPin {
        PositionedPin(try Pin(parsing: text), at: position)
    }

    /// named-compilezone prints of this zone, in upper case and with its SOA, NS, A and TXT records:
    ///
    ///     _443._tcp.host.example.         300 IN TLSA 1 1 1 13D0…
    ///     _443._tcp.host.example.         300 IN TLSA 3 1 1 77AA…
    ///     _443._TCP.wwW.sub.host.example. 3600 IN TLSA 0 1 1 77AA…
    ///     _443._tcp.www.host.example.     3600 IN TLSA 0 1 1 77AA…
    ///     _443._tcp.www.host.example.     3600 IN TLSA 3 1 1 13D0…
    @Test("A zone says what BIND reads in it", arguments: ["\n", "\r\n"])
    func zone(lineEnd: String) throws {
        let zone = """
            $ORIGIN host.example.
            $TTL 1h
            @ 3600 IN SOA ns hostmaster ( 1 2 3 ; four
              4 5 )
              NS ns
            ns A 192.0.2.1
            @ TXT "a ; (b" "v=1"
            _443._tcp IN 300 TLSA 3 1 1 \(Self.first)
               IN TLSA 1 1 1 ( \(Self.second.prefix(32)) ; the backup
               \(Self.second.suffix(32)) )
            _443._tcp.www TYPE52 \\# 35 000101 \(Self.first)
               1h30m CLASS1 TLSA \\# 35 ( 030101 \(Self.second.prefix(10))
               \(Self.second.dropFirst(10)) )
            $ORIGIN sub
            _443._TCP.\\119\\119W TLSA 0 1 1 \(Self.first)
            """
        let document = try read(zone.split(separator: "\n").joined(separator: lineEnd))
        #expect(document.entries.map(\.host) == ["host.example", "www.host.example", "www.sub.host.example"])
        #expect(
            document.entries.map(\.pins) == [
                [try pin(one, .leaf), try pin(two, .leaf)], [try pin(one, .issuer), try pin(two, .leaf)],
                [try pin(one, .issuer)],
            ]
        )
        #expect(
            document.losses.map(\.description)
                == ["SOA", "NS", "A", "TXT"].map {
                    "left out records of the type \($0), which have no pins"
                }
        )
    }

    /// ldns-read-zone prints 3 1 1, 0 1 1, 2 0 0 and 255 255 255 for these (RFC 7218).
    @Test("The acronyms of RFC 7218 are numbers")
    func acronyms() throws {
        let document = try read(
            """
            \(Self.owner) 60 IN TLSA DANE-EE SPKI SHA2-256 \(Self.first)
            \(Self.owner) 60 IN TLSA PKIX-TA SPKI SHA2-256 \(Self.second)
            \(Self.owner) 60 IN TLSA dane-ta cert full 00
            \(Self.owner) 60 IN TLSA privcert privsel privmatch 00
            """
        )
        #expect(document.entries.map(\.pins) == [[try pin(one, .leaf), try pin(two, .issuer)]])
        #expect(document.losses.map(\.subject) == [.record, .record])
        #expect(document.losses.allSatisfy { $0.pattern == "host.example" })
        #expect(
            document.losses[0].other.contains("TLSA 2 0 0") && document.losses[1].other.contains("TLSA 255 255 255")
        )
    }

    @Test(
        "A record that is no pin is a loss, and the records after it are read",
        arguments: [
            ("_443._tcp IN TLSA 3 1 2 \(second)\(second)", "the record TLSA 3 1 2"),
            ("_443._tcp IN TLSA 3 0 1 \(second)", "the record TLSA 3 0 1"),
            ("_443._tcp IN TLSA 2 1 0 3059", "the record TLSA 2 1 0"),
            ("_443._tcp IN TYPE52 \\# 4 03010200", "the record TLSA 3 1 2"),
            (
                "_443._tcp IN RRSIG TLSA 8 4 3600 20270101000000 20260101000000 1 host.example. AAAA",
                "records of the type RRSIG"
            ),
            ("_443._tcp IN TYPE65534 \\# 0", "records of the type TYPE65534"),
            ("_443._tcp CH TLSA 3 1 1 \(second)", "TLSA records of another class than IN"),
            ("$INCLUDE more.zone", "a file that $INCLUDE names"),
            ("$GENERATE 1-2 _443._tcp.w$ TLSA 3 1 1 \(second)", "$GENERATE"),
        ]
    )
    func otherRecords(line: String, words: String) throws {
        let document = try read("$ORIGIN host.example.\n\(line)\n\(line)\n_443._tcp TLSA 3 1 1 \(Self.first)\n")
        #expect(document.entries.map(\.host) == ["host.example"])
        #expect(document.entries.first?.pins == [try pin(one, .leaf)])
        // Equal losses are one.
        #expect(document.losses.map(\.subject) == [.record])
        #expect(document.losses.first?.other.contains(words) == true, "\(document.losses)")
    }

    @Test("A file whose records are no pins says why it has none")
    func noPins() {
        let error = #expect(throws: PinFormatError.self) {
            try read("\(Self.owner) IN TLSA 3 1 2 \(Self.first)\(Self.second)\n\(Self.owner) IN CNAME a.example.\n")
        }
        #expect(
            error?.description
                == "the file has no pins: host.example: left out the record TLSA 3 1 2: only the SHA-256 of a "
                + "key is a pin"
        )
    }

    @Test("Equal pins are one; a key of both positions matches at any")
    func samePins() throws {
        func positions(_ usages: [Int]) throws -> [PinPosition] {
            let lines = usages.map { "\(Self.owner) IN TLSA \($0) 1 1 \(Self.first)\n" }
            return try read(lines.joined()).entries.flatMap(\.pins).map(\.position)
        }
        #expect(try positions([1, 3, 1]) == [.leaf])
        #expect(try positions([2, 0]) == [.issuer])
        #expect(try positions([3, 0]) == [.any] && positions([0, 1]) == [.any] && positions([2, 3, 2]) == [.any])
    }

    @Test("A relative owner needs an origin")
    func relativeOwners() throws {
        let record = "TLSA 3 1 1 \(Self.first)"
        for text in ["_443._tcp \(record)", "_443._tcp.www \(record)", "@ \(record)"] {
            let error = #expect(throws: PinFormatError.self, "\(text)") { try read(text) }
            #expect(error?.description.hasPrefix("line 1: the owner is relative: write '$ORIGIN") == true)
            let document = try read("$ORIGIN Host.Example.\n\(text)")
            #expect(document.entries.map(\.host) == [text.contains("www") ? "www.host.example" : "host.example"])
        }
        // Tools print whole names without the dot at the end, which ldns reads as whole names.
        let whole = try read("_443._tcp.host.example IN \(record)")
        #expect(whole.entries.map(\.host) == ["host.example"])
        #expect(whole.losses.map(\.subject) == [.origin] && whole.losses.map(\.pattern) == ["host.example"])
        let bare = try read(
            "$ORIGIN host.example\n_443._tcp \(record)\n@ A 192.0.2.1\n_443._tcp.other.example. \(record)"
        )
        #expect(bare.entries.map(\.host) == ["host.example", "other.example"])
        #expect(bare.losses.map(\.subject) == [.origin, .record] && bare.losses[0].pattern == "host.example")
        // The last owner stays the same under another origin, and `$ORIGIN .` is the root.
        let root = try read("$ORIGIN .\n_443._tcp.host.example \(record)\n$ORIGIN other.example.\n \(record)")
        #expect(root.entries.map(\.host) == ["host.example"] && root.losses.isEmpty)
    }

    @Test("Any port is a loss of the service; an escaped character never becomes part of a host")
    func oddOwners() throws {
        let any = try read("*._tcp.host.example. IN TLSA 3 1 1 \(Self.first)")
        #expect(any.entries.map(\.host) == ["host.example"] && any.losses.map(\.subject) == [.service])
        for owner in ["_443._tcp.a\\.b.example.", "_443._tcp.a\\010b.example.", "_443._tcp.a\\300.example."] {
            let document = try read("\(owner) IN TLSA 3 1 1 \(Self.first)")
            #expect(PinFormat.json.write(document.entries).losses.map(\.subject) == [.pattern], "\(owner)")
        }
    }

    // named-compilezone 9.18 refuses each of these: unknown RR type, no current owner name, unbalanced parentheses (both),
    // ran out of space, out of range, not a valid number, unexpected end of line, unknown $ directive.
    @Test(
        "What BIND refuses is an error with its line",
        arguments: [
            ("\(owner) 60 IN TSLA 3 1 1 \(first)", "unknown type 'TSLA'"),
            (" IN TLSA 3 1 1 \(first)", "begins with a blank, so it has no owner"),
            ("\(owner) IN TLSA 3 1 1 ( \(first)", "a parenthesis is not closed"),
            ("\(owner) IN TLSA 3 1 1 \(first) )", "a parenthesis is closed that is not open"),
            ("\(owner) IN TYPE52 \\# 34 030101\(first)", "RFC 3597 5"),
            ("\(owner) IN TLSA 3 1 256 \(first)", "numbers up to 255"),
            ("\(owner) IN TLSA +3 1 1 \(first)", "numbers up to 255"),
            ("$ORIGIN", "expected one name after $ORIGIN"), ("$ORIGINS a.", "unknown directive"),
            ("\(owner) TXT \"a", "a quote is not closed"), ("\(owner) IN", "expected an owner"),
        ]
    )
    func refused(line: String, words: String) {
        let error = #expect(throws: PinFormatError.self) {
            try read("# comment\n; comment\n\n\(line)\n")
        }
        #expect(
            error?.description.hasPrefix("line 4: ") == true && error?.description.contains(words) == true,
            "\(error as Any)"
        )
    }

    // named-compilezone reads the first four as times to live, and refuses the others as unknown types.
    @Test(
        "Times to live have units, or are seconds",
        arguments: ["0", "1H", "1w2d3h4m5s", "86400", "1h30", "h", "1y", "1hh"]
    )
    func times(time: String) {
        let document = try? read("\(Self.owner) \(time) TLSA 3 1 1 \(Self.first)")
        #expect((document?.entries.count == 1) == ["0", "1H", "1w2d3h4m5s", "86400"].contains(time))
    }

    @Test("A record of more words than data can have is an error")
    func words() {
        let text = "\(Self.owner) IN TLSA 3 1 1 (" + String(repeating: "a\n", count: 1 << 17) + ")"
        let problem = "a record of more than 131072 words"
        #expect(throws: PinFormatError.malformed(place: "line 1", problem: problem)) { try read(text) }
    }
}

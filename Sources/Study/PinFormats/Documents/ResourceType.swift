/// What stands between the owner of a record and its data: the time to live and the class in either order, each of which
/// may be absent, and the type (RFC 1035 5.1).
struct ResourceType {
    /// In upper case; `TLSA` for `TYPE52`.
    let type: String
    /// Whether the class is IN, the Internet.
    let isOfInternet: Bool
    let data: ArraySlice<String>

    /// - Parameter words: those after the owner.
    init(_ words: ArraySlice<String>, at place: String) throws(PinFormatError) {
        var rest = words
        var hasTime = false
        var kind: String?
        while let word = rest.first?.uppercased() {
            if !hasTime, Self.isTime(word) {
                hasTime = true
            } else if kind == nil, Self.isClass(word) {
                kind = word
            } else {
                break
            }
            rest.removeFirst()
        }
        guard let word = rest.popFirst()?.uppercased() else {
            throw .malformed(place: place, problem: "expected an owner, a type such as TLSA, and its data")
        }
        guard let type = Self.type(word) else {
            let named = word.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? " '\(word.prefix(20))'" : ""
            throw .malformed(
                place: place,
                problem: "unknown type\(named): expected owner, TLSA, three numbers and hexadecimal digits, "
                    + "and a blank before the type alone where the owner is that of the line before"
            )
        }
        self.type = type
        isOfInternet = kind == nil || kind == "IN" || kind == "CLASS1"
        data = rest
    }

    /// Seconds, or numbers with units, as in `1w2d`, which servers read beside RFC 1035.
    private static func isTime(_ word: String) -> Bool {
        // Bytes instead of a regular expression, because a zone has very many records.
        var isAfterDigit = false
        var hasUnit = false
        for byte in word.utf8 {
            if (0x30...0x39).contains(byte) {
                isAfterDigit = true
            } else {
                guard isAfterDigit, "SMHDW".utf8.contains(byte) else { return false }
                isAfterDigit = false
                hasUnit = true
            }
        }
        return isAfterDigit != hasUnit
    }

    private static func isClass(_ word: String) -> Bool {
        ["IN", "CS", "CH", "HS"].contains(word) || isNumbered(word, "CLASS")
    }

    private static func type(_ word: String) -> String? {
        if word == "TYPE52" { return "TLSA" }
        return names.contains(word) || isNumbered(word, "TYPE") ? word : nil
    }

    /// RFC 3597 5: a word and a number of 16 bits.
    private static func isNumbered(_ word: String, _ prefix: String) -> Bool {
        word.hasPrefix(prefix) && word.utf8.count > prefix.utf8.count
            && word.dropFirst(prefix.count).utf8.allSatisfy { (0x30...0x39).contains($0) }
            && UInt16(word.dropFirst(prefix.count)) != nil
    }

    /// The mnemonics of IANA's registry of resource records. A misspelt type must not pass for another one.
    private static let names = Set(
        """
        A NS MD MF CNAME SOA MB MG MR NULL WKS PTR HINFO MINFO MX TXT RP AFSDB X25 ISDN RT NSAP NSAP-PTR SIG KEY PX GPOS \
        AAAA LOC NXT EID NIMLOC SRV ATMA NAPTR KX CERT A6 DNAME SINK APL DS SSHFP IPSECKEY RRSIG NSEC DNSKEY DHCID NSEC3 \
        NSEC3PARAM TLSA SMIMEA HIP NINFO RKEY TALINK CDS CDNSKEY OPENPGPKEY CSYNC ZONEMD SVCB HTTPS DSYNC HHIT BRID SPF \
        UINFO UID GID UNSPEC NID L32 L64 LP EUI48 EUI64 URI CAA AVC DOA AMTRELAY RESINFO WALLET CLA IPN TA DLV
        """.split(separator: " ").map(String.init)
    )
}

/// Upper-cases a user name as Windows does, one UTF-16 unit at a time, for `NTOWFv2`.
///
/// MS-NLMP says only "Uppercase". Windows uses the table of MS-UCODEREF 3.1.5.3 ("Windows 8 Upper Case Mapping Table").
/// Another mapping yields another key, so the server rejects a right password. The table equals this part of
/// Unicode 5.1, so it is computed instead of stored:
///
/// | rule | examples |
/// |---|---|
/// | simple mappings only | `ß`, `ŉ`, `ﬁ` stay; `ᾀ` becomes `ᾈ`, not two characters |
/// | only mappings that lower-casing reverses | `ı`, `ſ`, `µ`, `ς`, title-case `ǅ` stay; `ǆ` becomes `Ǆ` |
/// | both letters in Unicode 5.1 or older | `ა`, `ɥ` stay, because their capitals are newer |
/// | Basic Multilingual Plane only | `𐐨` stays, because the table has no surrogates |
enum WindowsUppercase {
    /// Appends the upper-cased form of `text` in UTF-16LE.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        UTF16Text.append(text, to: &bytes, mapping: uppercase)
    }

    /// The upper-case form of one UTF-16 unit, or the unit itself.
    static func uppercase(_ unit: UInt16) -> UInt16 {
        if unit < 0x80 {
            return unit >= 0x61 && unit <= 0x7a ? unit - 0x20 : unit
        }
        return uppercaseBeyondASCII(unit)
    }

    @inline(never)
    private static func uppercaseBeyondASCII(_ unit: UInt16) -> UInt16 {
        assert(unit >= 0x80, "the caller maps ASCII")
        // The initialiser returns nil for surrogates.
        guard let scalar = Unicode.Scalar(unit), isInTable(scalar) else { return unit }
        // If the full mapping has several scalars, the simple mapping, if it exists, is the title-case form.
        guard let upper = only(scalar.properties.uppercaseMapping) ?? only(scalar.properties.titlecaseMapping),
            isInTable(upper), only(upper.properties.lowercaseMapping) == scalar
        else { return unit }
        return UInt16(exactly: upper.value) ?? unit
    }

    private static func only(_ mapping: String) -> Unicode.Scalar? {
        let scalars = mapping.unicodeScalars
        return scalars.count == 1 ? scalars.first : nil
    }

    private static func isInTable(_ scalar: Unicode.Scalar) -> Bool {
        guard let age = scalar.properties.age else { return false }
        return age <= (major: 5, minor: 1)
    }
}

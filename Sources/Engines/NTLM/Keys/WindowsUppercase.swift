/// Upper-casing as Windows does it, one UTF-16 unit for one, for the user name in `NTOWFv2`.
///
/// MS-NLMP says "Uppercase" and no more. Windows maps by the table of MS-UCODEREF 3.1.5.3 ("Windows 8 Upper Case Mapping
/// Table"), and a name that is mapped otherwise yields another key and thus a rejected password. The table turns out to
/// be this much of Unicode 5.1, and is computed as such instead of being carried along:
///
/// - simple mappings only: `ß`, `ŉ`, `ﬁ` stay, and `ᾀ` becomes `ᾈ`, not two characters;
/// - only those that a lower-casing undoes: `ı`, `ſ`, `µ`, `ς` and the title-case `ǅ` stay, while `ǆ` becomes `Ǆ`;
/// - both ends within Unicode 5.1: later letters, and letters whose capitals came later (`ა`, `ɥ`), stay;
/// - the Basic Multilingual Plane only: a surrogate pair is two units that no table knows (`𐐨` stays).
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
        // Surrogates are no scalars, so they end here.
        guard let scalar = Unicode.Scalar(unit), isInTable(scalar) else { return unit }
        // Where the full mapping has several scalars, the simple one, if any, is the title-case form.
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

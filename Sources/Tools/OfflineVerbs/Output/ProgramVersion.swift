internal import Hostnames

/// The version of the program.
package enum ProgramVersion {
    /// The number of the version; the only place that names it.
    package static let text = "0.2.0"

    /// What `sallyport --version` prints: the number alone on its line, then the date of the list in the program.
    package static var lines: String { "\(text)\n\(PublicSuffixList.sentence(of: PublicSuffixList.builtInDate))" }
}

extension PublicSuffixList {
    /// What stands in place of a date.
    static let unknownDate = "unknown date"

    /// Which list it is, for people: `public suffix list of 2026-10-22`.
    var sentence: String { Self.sentence(of: date ?? Self.unknownDate) }

    static func sentence(of date: String) -> String { "public suffix list of \(date)" }
}

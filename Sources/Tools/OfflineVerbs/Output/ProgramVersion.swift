internal import Hostnames

/// The version of the program.
package enum ProgramVersion {
    /// The number of the version; the only place that names it.
    package static let text = "0.2.0"

    /// What `sallyport --version` prints: the number alone on its line, then the date of the list in the program.
    package static var lines: String {
        "\(text)\npublic suffix list of \(PublicSuffixList.builtIn.date ?? PublicSuffixOptions.unknownDate)"
    }
}

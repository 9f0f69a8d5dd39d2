/// The version of the program.
package enum ProgramVersion {
    /// What `sallyport --version` prints; the only place that names it.
    package static let text = "0.2.0"
}

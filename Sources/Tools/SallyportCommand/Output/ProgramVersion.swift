/// The version of the program.
enum ProgramVersion {
    /// What `sallyport --version` prints; the only place that names it.
    static let text = "0.2.0"
}

/// The bounds of a netrc file. Those of a file, a line and a word are curl's.
public enum NetrcLimits {
    /// The most bytes of a file.
    public static let fileBytes = 131_072
    /// The most bytes of one word or value, without its quotes.
    public static let wordBytes = 4096
    /// The most entries of a file.
    public static let entries = 4096
}

/// What is simulated: all numbers that a reader may want to know are here, and in the recording's ORIGIN.md.
struct Landscape {
    /// The first midnight of the recording: 2026-01-01T00:00:00Z.
    static let start: Int64 = 1_767_225_600
    /// Days from the first to behind the last: three years, one of them a leap year.
    static let days = 1096
    /// Seconds of a day.
    static let day: Int64 = 86_400

    /// The day from which every trust store contains the youngest organisation's own root.
    static let ownRootDay = 365
    /// The day on which an organisation loses its trust.
    static let distrustDay = 546
    /// Days from then until the last of its customers is gone.
    static let exodusDays = 60
    /// How many hosts lose their key to a thief.
    static let leaks = 12
    /// How many impostors come from a root that some machine was made to trust.
    static let rogues = 16
    /// The number of impostors whose certificate comes from a trusted authority.
    static let misissued = 12
    /// One capture in so many fails.
    static let missedCapture = 10
    /// Of so many hosts, the bytes of all certificates are kept.
    static let hostsWithBytes = 10

    let seed: UInt64
    let hosts: Int

    /// Numbers of their own for each purpose, so that one host more changes no other host.
    func numbers(_ purpose: String, _ index: Int = 0) -> SeededNumbers {
        SeededNumbers("sallyport lab \(seed) \(purpose) \(index)")
    }

    static func time(day: Int, second: Int64 = 0) -> Int64 { start + Int64(day) * Self.day + second }
}

/// The bounds of proxy scripts.
public enum ProxyScriptLimits {
    /// The most bytes of a script.
    public static let scriptBytes = 1 << 20
    /// How long a request waits for an answer: for its turn, and for one call with the look-ups of names that the script asks for.
    public static let time = Duration.seconds(5)
    /// The most bytes of an answer.
    public static let answerBytes = 4096
    /// The most ways that are taken from one answer.
    public static let choices = 16
    /// How many servers' answers are kept.
    public static let keptAnswers = 1024
    /// How long an answer is kept: scripts may ask for the time and for addresses.
    public static let keptFor = Duration.seconds(300)
    /// How many calls run at a time.
    public static let calls = 4
    /// How many servers may wait for their turn.
    public static let waiting = 64

    /// What the process of a call may use.
    static let processSeconds: UInt32 = 10
    static let processBytes: UInt64 = 256 << 20
}

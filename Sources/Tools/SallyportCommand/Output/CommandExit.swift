internal import ArgumentParser

/// The exit status of `sallyport`; 0 if every answer is yes.
enum CommandExit {
    /// An answer is no.
    static let answerWasNo = ExitCode(1)
    /// A usage error, or input that is unreadable or invalid.
    static let couldNotRun = ExitCode(2)
}

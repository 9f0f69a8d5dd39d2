package import ArgumentParser

/// The exit status of `sallyport`; 0 if every answer is yes.
package enum CommandExit {
    /// An answer is no.
    package static let answerWasNo = ExitCode(1)
    /// A usage error, or input that is unreadable or invalid.
    package static let couldNotRun = ExitCode(2)
}

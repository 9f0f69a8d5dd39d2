package import ArgumentParser

/// The exit status of `sallyport` when it is not 0. Status 0 means that the command succeeded and each result is positive.
package enum CommandExit {
    /// 1: the command ran, and a result is negative, such as a denied site, a refused password or a wrong pin.
    package static let answerWasNo = ExitCode(1)
    /// 2: the command could not run, because of a usage error or of input that is unreadable or invalid.
    package static let couldNotRun = ExitCode(2)
}

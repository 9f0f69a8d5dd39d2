package import ArgumentParser

/// The exit status of `sallyport` when it is not 0. Status 0 means that the command succeeded and each result is positive.
package enum CommandExit {
    /// 1: the command ran, and a result is negative, such as a denied site, a refused password or a wrong pin.
    package static let answerWasNo = ExitCode(1)
    /// 2: the command could not run, because of a usage error or of input that is unreadable or invalid.
    package static let couldNotRun = ExitCode(2)

    /// Runs the work of a verb. An error becomes one line, and the status 2.
    package static func run(_ verb: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let status as ExitCode {
            throw status
        } catch {
            StandardError.complain(verb, "\(error)")
            throw couldNotRun
        }
    }
}

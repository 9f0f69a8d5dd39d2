internal import Logging
internal import OfflineVerbs
internal import Sallyport
internal import SallyportClient
internal import SallyportNIO
internal import Synchronization

/// The reports of a relay about servers without a pinned key. They go to the URL of its profile directly, and through no parent; each that is
/// not sent is a line of the log.
struct RelayPinReports: Sendable {
    private final class Log: Sendable {
        let logger = Mutex<Logger?>(nil)
    }

    private let log: Log
    private let reporter: PinReporter

    /// - Parameter settings: how the receiver is reached; reports are added to it.
    init(to url: ServiceURL?, _ settings: inout TLSSettings, _ current: CurrentHandler) throws {
        let log = Log()
        let reporter = try PinReporter(to: url, tls: TLSConnector(settings, current)) { problem in
            log.logger.withLock { $0 }?.warning("\(problem.inOneLine)")
        }
        settings.onPinFailure = { reporter.add($0) }
        (self.log, self.reporter) = (log, reporter)
    }

    /// Logs with `logger` from now on.
    func use(_ logger: Logger) { log.logger.withLock { $0 = logger } }

    /// Sends to the URL of a profile that was read again.
    func use(_ url: ServiceURL?) { reporter.replaceURL(url) }

    /// Waits a few seconds for what is to be sent. Blocks the calling thread.
    func close() { try? Blocking.run { [reporter] in await reporter.finish() } }
}

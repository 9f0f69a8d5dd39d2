public import NIOCore
internal import NIOHTTP1
public import NIOPosix
public import OAuth
public import SPKIPins
internal import Sallyport
public import SallyportNIO
internal import Synchronization
internal import Waiting

/// Sends reports of pin failures to a URL, as JSON of RFC 7469 section 3, beside the requests that fail.
///
/// ```swift
/// let reporter = try PinReporter(to: url, tls: TLSConnector(settings, current))
/// settings.onPinFailure = { reporter.add($0) }
/// let client = AuthenticatedClient(current, tls: try TLSConnector(settings, current))
/// ```
///
/// Reports wait in a queue, and one is sent at a time, by POST on a connection of its own, without credentials, redirects and second attempts.
/// One host and chain are reported once a day. What finds the queue full, cannot be sent, or is about the host of the URL is dropped.
public final class PinReporter: Sendable {
    /// The most reports that wait.
    public static let mostWaiting = 32
    /// How long the sending of one report may take.
    public static let limit = TimeAmount.seconds(5)

    private struct State {
        var url: ServiceURL?
        var waiting: [PinReport] = []
        /// Sends what waits; `nil` while nothing does.
        var sender: Task<Void, Never>?
        var isEnded = false
    }

    private let state: Mutex<State>
    private let limiter = PinReportLimiter()
    private let client: AuthenticatedClient
    private let onFailure: @Sendable (String) -> Void

    /// Makes a reporter.
    ///
    /// - Parameters:
    ///   - url: who receives the reports: https, or http on a loopback address. `nil` drops them until ``replaceURL(_:)``.
    ///   - tls: roots and pins for the connection to it, without `TLSSettings.onPinFailure`.
    ///   - settings: the proxy for https, which must not ask for authentication, and the time for connecting.
    ///   - group: where connections run.
    ///   - onFailure: gets one line about each report that was not sent.
    public init(
        to url: ServiceURL?,
        tls: TLSConnector,
        settings: ClientSettings = ClientSettings(),
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        onFailure: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        var settings = settings
        settings.idleConnections = 0
        // A loopback address is this machine's, not that of the proxy.
        settings.proxy = { [proxy = settings.proxy] in $0.scheme == .https ? proxy($0) : nil }
        // The account of a user is not for the receiver of reports.
        let nothing = SecurityProfile(sites: try SiteList(parsing: "", name: "pin reports"), schemes: [.basic])
        client = AuthenticatedClient(
            CurrentHandler(try ChallengeHandler(profile: nothing, at: 0)),
            settings: settings,
            tls: tls,
            group: group
        )
        state = Mutex(State(url: url))
        self.onFailure = onFailure
    }

    /// Sends the next reports to another URL, or drops them.
    public func replaceURL(_ url: ServiceURL?) { state.withLock { $0.url = url } }

    /// Takes a report, and returns at once.
    public func add(_ report: PinReport) {
        state.withLock { state in
            // A report about the receiver would go to a server that the pins refuse, and its failure would be the next report.
            guard let url = state.url, url.origin.host != report.host, !state.isEnded,
                state.waiting.count < Self.mostWaiting,
                limiter.isDue(report.host, report.mismatch.chain, now: report.time)
            else { return }
            state.waiting.append(report)
            if state.sender == nil { state.sender = Task { await sendAll() } }
        }
    }

    /// Takes no more reports, and returns when those that wait were sent, after ``limit`` at the latest.
    public func finish() async {
        let sender = state.withLock { state in
            state.isEnded = true
            return state.sender
        }
        // What is cancelled ends at once.
        let timer = Task {
            try await Task.sleep(for: .nanoseconds(Self.limit.nanoseconds))
            state.withLock { $0.waiting = [] }
            sender?.cancel()
        }
        await sender?.value
        timer.cancel()
        client.shutDown()
    }

    private func sendAll() async {
        while let (report, url) = next() {
            do {
                try await send(report, to: url)
            } catch {
                let reason = error is CancellationError ? "it took too long" : TLSReason.sentence(error)
                onFailure("the pin report about \(report.host) was not sent to \(url): \(reason)")
            }
        }
    }

    private func next() -> (PinReport, ServiceURL)? {
        state.withLock { state in
            guard let url = state.url, !state.waiting.isEmpty else {
                (state.waiting, state.sender) = ([], nil)
                return nil
            }
            return (state.waiting.removeFirst(), url)
        }
    }

    private func send(_ report: PinReport, to url: ServiceURL) async throws {
        let request = ClientRequest(
            origin: url.origin,
            method: .POST,
            target: url.target,
            headers: ["Content-Type": "application/json"],
            body: .bytes(ByteBuffer(string: report.json))
        )
        let deadline = NIODeadline.now() + Self.limit
        try await Deadline.run(until: deadline) { [client] in
            let response = try await client.executeOnce(request, deadline: deadline)
            guard (200..<300).contains(Int(response.status.code)) else {
                throw ReportRefusal(status: Int(response.status.code))
            }
        }
    }
}

/// The receiver of a report answered with a status that is no success.
private struct ReportRefusal: Error, CustomStringConvertible {
    let status: Int

    var description: String { "it answered with \(status): check the URL of 'pinReports'" }
}

internal import Credentials
internal import SallyportClient
internal import SallyportNIO
internal import Waiting
internal import WireFormat

/// The revocation lists of `--crl`: where they come from, and those in use.
struct RevocationSource: Sendable {
    /// How often a relay looks whether a file has changed.
    private static let interval = Duration.seconds(5)
    /// The shortest and the longest time between two requests for the lists of URLs, in seconds.
    private static let pauses: ClosedRange<Int64> = 60...86_400

    /// Those in use, for the TLS of clients.
    let lists = RevocationLists()
    private let places: [RevocationPlace]
    private let settings: ClientSettings
    private let tls: TLSSettings

    /// Reads the lists. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - arguments: files and URLs.
    ///   - tls: for a URL of https; its server is checked with no list.
    ///   - settings: the proxy of a URL.
    init(_ arguments: [String], _ tls: TLSSettings, _ settings: ClientSettings = ClientSettings()) throws {
        places = try arguments.map { try RevocationPlace($0) }
        (self.tls, self.settings) = (tls, settings)
        guard !places.isEmpty else { return }
        lists.replace(by: try Blocking.run { [self] in try await read() })
    }

    /// Whether there is anything to read.
    var isEmpty: Bool { places.isEmpty }

    /// Reads the lists of all places, and changes nothing.
    func read() async throws -> [RevocationList] {
        var read: [RevocationList] = []
        for place in places { read += try await place.lists(at: SystemClock.unixSeconds, settings, tls) }
        return read
    }

    /// Reads the lists again until the task is cancelled: when a file has changed, and those of URLs after half of the time that is left to them.
    ///
    /// - Parameter report: gets `nil` after a success, or why the lists before stay in use.
    /// - Throws: `CancellationError`.
    func renew(report: @Sendable (_ problem: String?) -> Void) async throws {
        var stamps = await stamps()
        var due = places.contains(where: \.isURL) ? self.due(at: SystemClock.unixSeconds) : nil
        while true {
            try await Task.sleep(for: Self.interval)
            let found = await self.stamps()
            let now = SystemClock.unixSeconds
            guard found != stamps || due.map({ $0 <= now }) == true else { continue }
            stamps = found
            do {
                lists.replace(by: try await read())
                report(nil)
            } catch let error as CancellationError {
                throw error
            } catch {
                report("\(error)")
            }
            due = due.map { _ in self.due(at: now) }
        }
    }

    private func due(at now: Int64) -> Int64 {
        let left = (lists.earliestUpdate ?? now) - now
        return now + min(max(left / 2, Self.pauses.lowerBound), Self.pauses.upperBound)
    }

    /// The states of the files; none if they cannot be asked for now.
    private func stamps() async -> [FileStamp?] {
        (try? await OwnThread.run { [places] in places.map(\.stamp) }) ?? []
    }
}

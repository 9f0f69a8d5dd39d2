import Foundation
import Sallyport
import Synchronization
import TestLimits
import TestSupport
import Testing

@testable import Authenticator
@testable import ChallengeHandling

/// A watch that runs, and its events in their order.
struct RunningWatch {
    static let start = Int64(Date().timeIntervalSince1970)

    let watch: IdentityWatch
    let authenticator: Authenticator
    let now: Clock
    let task: Task<Void, any Error>
    private var events: AsyncStream<IdentityEvent>.Iterator

    final class Clock: Sendable {
        let time = Mutex(RunningWatch.start)
        /// How often the watch has looked at its files.
        let looks = Mutex(0)
    }

    init(_ places: [IdentityPlace]) async throws {
        let clock = Clock()
        now = clock
        let watch = try await IdentityWatch(
            places,
            options: IdentityWatchOptions(margins: [.seconds(7 * 86_400), .seconds(86_400)]),
            now: { clock.time.withLock { $0 } },
            sleep: { _ in
                clock.looks.withLock { $0 += 1 }
                try await Task.sleep(for: .milliseconds(10))
            }
        )
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "wiki.acme.example", name: "test"),
            schemes: []
        )
        let current = CurrentHandler(try ChallengeHandler(profile: profile, at: 0))
        let authenticator = try Authenticator(current, identities: watch.source)
        let (stream, continuation) = AsyncStream.makeStream(of: IdentityEvent.self)
        events = stream.makeAsyncIterator()
        (self.watch, self.authenticator) = (watch, authenticator)
        task = Task { try await watch.run(authenticator) { continuation.yield($0) } }
    }

    mutating func next() async -> IdentityEvent? { await events.next() }

    /// Waits until the watch has looked again, from the begin to the end.
    func look() async throws {
        let before = now.looks.withLock { $0 }
        try await eventually("the watch looks again") { now.looks.withLock { $0 } > before + 1 }
    }

    var leaf: [UInt8]? {
        authenticator.current.handler.compiled.profile.identities.first?.value.certificateChain.first
    }
}

extension TemporaryFolder {
    /// Replaces a file as careful programs do.
    func replace(_ text: String, _ name: String, mode: Int = 0o600) throws {
        let temporary = path("\(UUID())")
        try Data(text.utf8).write(to: URL(filePath: temporary))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: temporary)
        let code = unsafe rename(temporary, path(name))
        #expect(code == 0)
    }
}

import Foundation
import LiveServers
import Sallyport
import Synchronization
import TestSupport
import Testing
import X509

@testable import Authenticator
@testable import ChallengeHandling

/// What an ``IdentityWatch`` does not put in the place of an identity that servers get, and sources that hang.
@Suite(.inTurn) struct IdentityWatchUnfitTests {
    private let folder: TemporaryFolder
    private let authority: TestAuthority

    /// 2040-01-01T00:00:00Z, and the same for the three years after it.
    private static let (in2040, in2041, in2042, in2043): (Int64, Int64, Int64, Int64) = (
        2_208_988_800, 2_240_611_200, 2_272_147_200, 2_303_683_200
    )
    private static let notForClients = IdentityEvent.unreadable(
        identity: "laptop",
        reason:
            "it is not for clients: use one whose keyUsage has digitalSignature and whose extKeyUsage has clientAuth"
    )
    private static let notYetValid = IdentityEvent.unreadable(
        identity: "laptop",
        reason:
            "it is not valid before 2040-01-01T00:00:00Z, and is used from then on: check the clock if that is too late"
    )

    init() throws {
        authority = try TestAuthority("Clients")
        folder = try TemporaryFolder("watch")
    }

    private func pair(
        begin: Int64 = RunningWatch.start - 3_600,
        end: Int64,
        for purpose: ExtendedKeyUsage.Usage = .clientAuth
    ) throws -> ClientPair {
        let (begin, end) = (Date(timeIntervalSince1970: Double(begin)), Date(timeIntervalSince1970: Double(end)))
        return try authority.client("laptop", begin: begin, end: end, purposes: [purpose])
    }

    private func place(_ name: String, _ source: IdentityPlace.Source) -> IdentityPlace {
        IdentityPlace(name: name, source: source, sites: ["wiki.acme.example"])
    }

    private var file: IdentityPlace { place("laptop", .files(.one(folder.path("laptop.pem")), passphrase: nil)) }

    @Test("A certificate that is not for clients, or not valid yet, waits while the old one is valid", .row(18))
    func unfit() async throws {
        let old = try pair(end: Self.in2041)
        try folder.replace(old.pem, "laptop.pem")
        var running = try await RunningWatch([file])
        defer { running.task.cancel() }
        try folder.replace(pair(end: Self.in2043, for: .serverAuth).pem, "laptop.pem")
        #expect(await running.next() == Self.notForClients)
        try await running.watch.replace(by: [file], running.authenticator)
        #expect(running.leaf == (try old.der))

        let later = try pair(begin: Self.in2040, end: Self.in2042)
        try folder.replace(later.pem, "laptop.pem")
        #expect(await running.next() == Self.notYetValid)
        try await running.watch.replace(by: [file], running.authenticator)
        running.now.time.withLock { $0 = Self.in2040 - 1 }
        try await running.look()
        #expect(running.leaf == (try old.der))
        // The file does not change, and nothing was reported twice.
        running.now.time.withLock { $0 = Self.in2040 }
        #expect(await running.next() == .renewed(identity: "laptop", notAfter: Self.in2042))
        #expect(running.leaf == (try later.der))

        // No server gets an expired one, so that any other may take its place.
        running.now.time.withLock { $0 = Self.in2042 + 1 }
        #expect(await running.next() == .expired(identity: "laptop", notAfter: Self.in2042))
        try folder.replace(pair(end: Self.in2043, for: .serverAuth).pem, "laptop.pem")
        #expect(await running.next() == .renewed(identity: "laptop", notAfter: Self.in2043))
    }

    @Test("What the places bring when they are read again waits, too, and is reported; its program does not run again")
    func readAgain() async throws {
        let (old, later) = (try pair(end: Self.in2041), try pair(begin: Self.in2040, end: Self.in2042))
        try folder.replace(old.pem, "printed.pem")
        let tool = place("laptop", .command(["/bin/cat", folder.path("printed.pem")]))
        var running = try await RunningWatch([tool])
        defer { running.task.cancel() }
        try folder.replace(later.pem, "printed.pem")
        try await running.watch.replace(by: [tool], running.authenticator)
        #expect(running.leaf == (try old.der))
        #expect(await running.next() == Self.notYetValid)
        try folder.replace("nothing", "printed.pem")
        running.now.time.withLock { $0 = Self.in2040 }
        #expect(await running.next() == .renewed(identity: "laptop", notAfter: Self.in2042))
        #expect(running.leaf == (try later.der))
    }

    @Test("A program that hangs runs once, stops neither the others nor their times, and ends with the watch")
    func hangs() async throws {
        let day: Int64 = 86_400
        let (start, end) = (RunningWatch.start, RunningWatch.start + 30 * day)
        try folder.replace(pair(end: end).pem, "printed.pem")
        try folder.replace(pair(end: start + 90 * day).pem, "laptop.pem")
        // It prints once, and then writes its number and waits.
        let script = "cat printed.pem && rm printed.pem || { echo $$ >>numbers; exec sleep 900; }"
        let tool = place("tool", .command(["/bin/sh", "-c", "cd '\(folder.path(""))'; \(script)"]))
        var running = try await RunningWatch([tool, file])
        defer { running.task.cancel() }
        // Two thirds of its thirty days have passed.
        running.now.time.withLock { $0 = start + 21 * day }
        func numbers() -> [String] {
            let text = try? String(contentsOfFile: folder.path("numbers"), encoding: .utf8)
            return text?.split(separator: "\n").map(String.init) ?? []
        }
        try await eventually("the program runs again") { !numbers().isEmpty }

        try folder.replace(pair(end: start + 180 * day).pem, "laptop.pem")
        #expect(await running.next() == .renewed(identity: "laptop", notAfter: start + 180 * day))
        running.now.time.withLock { $0 = end + 1 }
        #expect(await running.next() == .expired(identity: "tool", notAfter: end))
        for _ in 0..<2 { try await running.look() }
        let number = try #require(pid_t(numbers().joined(separator: " ")))
        running.task.cancel()
        try await running.task.value
        try await eventually("the program has ended") { kill(number, 0) != 0 }
    }
}

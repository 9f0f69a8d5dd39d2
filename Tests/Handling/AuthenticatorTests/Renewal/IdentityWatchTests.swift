import Foundation
import LiveServers
import SPKIPins
import Sallyport
import Synchronization
import TestSupport
import Testing

@testable import Authenticator
@testable import ChallengeHandling

/// Identities in files that somebody renews while a program runs.
@Suite(.inTurn) struct IdentityWatchTests {
    private let folder: TemporaryFolder
    private let authority: TestAuthority

    init() throws {
        authority = try TestAuthority("Clients")
        folder = try TemporaryFolder("watch")
    }

    private func path(_ name: String) -> String { folder.path(name) }

    private func write(_ text: String, _ name: String, mode: Int = 0o600) throws {
        try folder.replace(text, name, mode: mode)
    }

    private func place(_ files: IdentityFiles? = nil) -> IdentityPlace {
        IdentityPlace(name: "laptop", files: files ?? .one(path("laptop.pem")), sites: ["wiki.acme.example"])
    }

    @Test("A renewed file is picked up with its key; what cannot be used leaves the old one in use", .row(18))
    func renewed()
        async throws
    {
        let pairs = try (0..<3).map { try authority.client("laptop \($0)", end: Date() + 90 * 86_400) }
        try write(pairs[0].pem, "laptop.pem")
        var running = try await RunningWatch([place()])
        defer { running.task.cancel() }
        let second = try pairs[1].der
        let end = try CertificateDetails(of: second.span).notAfter
        try write(pairs[1].pem, "laptop.pem")
        #expect(await running.next() == .renewed(identity: "laptop", notAfter: end))
        #expect(running.leaf == (try pairs[1].der))
        for pair in pairs.prefix(2) {
            // The key of before stays for handshakes that have begun.
            let identity = ClientIdentity(name: "laptop", certificateChain: [try pair.der])
            #expect(running.watch.ring.key(of: identity) != nil)
        }

        let problems: [(text: String, mode: Int, reason: String)] = [
            ("nothing", 0o600, "no block of PEM"), (pairs[2].pem, 0o644, "other users may use"),
            (pairs[2].certificatePEM, 0o600, "no private key"),
        ]
        for problem in problems {
            try write(problem.text, "laptop.pem", mode: problem.mode)
            guard case .unreadable("laptop", let reason) = await running.next() else {
                Issue.record("the file was used: \(problem.reason)")
                continue
            }
            #expect(reason.contains(problem.reason), "\(reason)")
            #expect(running.leaf == (try pairs[1].der))
        }
        try FileManager.default.removeItem(atPath: path("laptop.pem"))
        guard case .unreadable = await running.next() else {
            Issue.record("a file that is gone was not noticed")
            return
        }
        // The same identity in another file is no renewal; the next one is.
        try write(pairs[1].pem, "laptop.pem")
        try await running.look()
        try write(pairs[2].pem, "laptop.pem")
        guard case .renewed = await running.next() else {
            Issue.record("the third certificate was not picked up")
            return
        }
        #expect(running.leaf == (try pairs[2].der))
    }

    @Test("An expired file does not replace an identity that is valid, at a look or when the places are read again")
    func expired() async throws {
        let valid = try authority.client("laptop", end: Date() + 90 * 86_400)
        try write(valid.pem, "laptop.pem")
        var running = try await RunningWatch([place()])
        defer { running.task.cancel() }
        let (watched, der) = (running, try valid.der)
        try await eventually("the identity is in use") { watched.leaf == der }
        // 2025-02-01T00:00:00Z
        let end = Date(timeIntervalSince1970: 1_738_368_000)
        try write(authority.client("laptop", begin: end - 86_400, end: end).pem, "laptop.pem")
        let event = IdentityEvent.unreadable(
            identity: "laptop",
            reason: "it expired on 2025-02-01T00:00:00Z: renew it"
        )
        #expect(await running.next() == event)
        #expect(
            "\(event)" == "identity 'laptop': the new one is not used: it expired on 2025-02-01T00:00:00Z: renew it"
        )
        try await running.watch.replace(by: [place()], running.authenticator)
        #expect(running.leaf == der && running.watch.assignments.map(\.value.certificateChain[0]) == [der])
        // The first event after it is the renewal: the file is not reported again.
        let renewed = try authority.client("laptop", end: Date() + 180 * 86_400)
        try await running.look()
        try write(renewed.pem, "laptop.pem")
        guard case .renewed = await running.next() else {
            Issue.record("the valid file after the expired one was not picked up")
            return
        }
        #expect(running.leaf == (try renewed.der))
    }

    @Test("Each margin is reported once, then the end; a renewal starts anew") func times() async throws {
        try write(authority.client("laptop", end: Date() + 90 * 86_400).pem, "laptop.pem")
        var running = try await RunningWatch([place()])
        defer { running.task.cancel() }
        let certificate = try #require(running.watch.assignments.first).value.certificateChain[0]
        let end = try CertificateDetails(of: certificate.span).notAfter
        for (left, event) in [
            (7 * 86_400, IdentityEvent.expiresSoon(identity: "laptop", notAfter: end)),
            (86_400, .expiresSoon(identity: "laptop", notAfter: end)),
            (-1, .expired(identity: "laptop", notAfter: end)),
        ] {
            running.now.time.withLock { $0 = end - Int64(left) }
            #expect(await running.next() == event)
            // Nothing is reported twice: the event after several looks is the next margin's.
            for _ in 0..<3 { try await running.look() }
        }
        let choice = running.authenticator.current.handler.identityChoice(
            for: try Origin(parsing: "https://wiki.acme.example"),
            .unknown,
            at: end + 1
        )
        #expect(choice == .none(.identityExpired(identity: "laptop", since: end)))
        try write(authority.client("laptop", end: Date() + 180 * 86_400).pem, "laptop.pem")
        guard case .renewed = await running.next() else {
            Issue.record("the renewed certificate was not picked up")
            return
        }
        running.now.time.withLock { $0 = RunningWatch.start + 179 * 86_400 }
        guard case .expiresSoon = await running.next() else {
            Issue.record("the renewed certificate is not watched")
            return
        }
    }

    @Test("Of an identity that others read, such as a card's, the margins and the end are reported, each once")
    func endsOnly() async throws {
        var running = try await RunningWatch([])
        defer { running.task.cancel() }
        let certificate = try authority.client("card", end: Date() + 90 * 86_400).der
        let end = try CertificateDetails(of: certificate.span).notAfter
        let card = ClientIdentity(name: "card", certificateChain: [certificate])
        running.watch.watchEnds(of: [card])
        #expect(running.watch.ends == [end] && running.watch.assignments.isEmpty)
        for (left, event) in [
            (86_400, IdentityEvent.expiresSoon(identity: "card", notAfter: end)),
            (-1, .expired(identity: "card", notAfter: end)),
        ] {
            running.now.time.withLock { $0 = end - Int64(left) }
            #expect(await running.next() == event)
            // The same identity, once more, is not reported again.
            running.watch.watchEnds(of: [card])
            for _ in 0..<3 { try await running.look() }
        }
        running.watch.watchEnds(of: [])
        #expect(running.watch.ends.isEmpty)
    }

    @Test("The watch ends with its task, and a file that is missing at the start is an error") func ends() async throws
    {
        await #expect(throws: IdentityError(place: path("laptop.pem"), problem: .missing)) {
            try await IdentityWatch([place()])
        }
        // A pipe could not be read again after a change.
        #expect(unsafe mkfifo(path("pipe"), 0o600) == 0)
        let problem = IdentityError.Problem.system(operation: "read it", code: ENODEV)
        await #expect(throws: IdentityError(place: path("pipe"), problem: problem)) {
            try await IdentityWatch([place(.one(path("pipe")))])
        }
        try write(authority.client("laptop").pem, "laptop.pem")
        let running = try await RunningWatch([place()])
        try await eventually("the identity is in use") { running.leaf != nil }
        running.task.cancel()
        try await running.task.value
    }

    @Test("A pair of files, of which one comes after the other") func pair() async throws {
        let (old, new) = (try authority.client("old"), try authority.client("new"))
        try write(old.certificatePEM, "laptop.crt", mode: 0o644)
        try write(old.keyPEM, "laptop.key")
        let files = IdentityFiles.pair(certificates: path("laptop.crt"), key: path("laptop.key"))
        var running = try await RunningWatch([place(files)])
        defer { running.task.cancel() }
        // The certificate is valid for one day, which is within the margins.
        guard case .expiresSoon = await running.next() else {
            Issue.record("the end within a day is not reported")
            return
        }
        try write(new.certificatePEM, "laptop.crt", mode: 0o644)
        guard case .unreadable(_, let reason) = await running.next() else {
            Issue.record("half of a pair was used")
            return
        }
        #expect(reason.contains("belongs to none of the certificates"))
        try write(new.keyPEM, "laptop.key")
        guard case .renewed = await running.next() else {
            Issue.record("the new pair was not picked up")
            return
        }
    }

    @Test("A program runs again after two thirds of the certificate's time, and later after it has failed", .row(4, 19))
    func command() async throws {
        let day = 86_400.0
        func pair(_ name: String) throws -> ClientPair {
            try authority.client(name, begin: Date() - day, end: Date() + 29 * day)
        }
        let (first, second) = (try pair("first"), try pair("second"))
        try write(first.pem, "printed.pem")
        let place = IdentityPlace(
            name: "laptop",
            source: .command(["/bin/cat", path("printed.pem")]),
            sites: ["wiki.acme.example"]
        )
        var running = try await RunningWatch([place])
        defer { running.task.cancel() }
        let (watched, der) = (running, try first.der)
        try await eventually("the identity is in use") { watched.leaf == der }
        // Another identity is there, but it is not the time: nineteen of thirty days have passed.
        try write(second.pem, "printed.pem")
        running.now.time.withLock { $0 = RunningWatch.start + Int64(18 * day) }
        try await running.look()
        #expect(running.leaf == (try first.der))
        // After twenty days the program fails, and runs again some hours later.
        try write("nothing", "printed.pem")
        running.now.time.withLock { $0 = RunningWatch.start + Int64(19 * day) + 60 }
        guard case .unreadable("laptop", let reason) = await running.next() else {
            Issue.record("the program did not run")
            return
        }
        #expect(reason == "/bin/cat: the file has no block of PEM: give a PEM file")
        try write(second.pem, "printed.pem")
        try await running.look()
        #expect(running.leaf == (try first.der))
        running.now.time.withLock { $0 += Int64(0.1 * day) }
        let certificate = try second.der
        let end = try CertificateDetails(of: certificate.span).notAfter
        #expect(await running.next() == .renewed(identity: "laptop", notAfter: end))
        #expect(running.leaf == (try second.der))
    }

    @Test("A record of a store is renewed with it, and a store that has lost it is reported once") func stored()
        async throws
    {
        let store = MemoryCredentialStore()
        func keep(_ pair: ClientPair) async throws {
            let keyed = try KeyedIdentity(name: "kept", parsing: Array(pair.pem.utf8).span)
            try await store.save(#require(StoredIdentity.record(of: keyed, created: RunningWatch.start)))
        }
        let pairs = try (0..<2).map { try authority.client("laptop \($0)", end: Date() + 90 * 86_400) }
        try await keep(pairs[0])
        let place = IdentityPlace(name: "laptop", source: .stored("kept", in: store), sites: ["wiki.acme.example"])
        var running = try await RunningWatch([place])
        defer { running.task.cancel() }
        try await store.removeAll()
        guard case .unreadable("laptop", let reason) = await running.next() else {
            Issue.record("a record that is gone was not noticed")
            return
        }
        #expect(reason.hasPrefix("\"kept\": the store has no identity of this name"))
        for _ in 0..<2 { try await running.look() }
        try await keep(pairs[1])
        guard case .renewed = await running.next() else {
            Issue.record("the new record was not picked up, or its loss was reported twice")
            return
        }
        #expect(running.leaf == (try pairs[1].der))
    }

    @Test("Other places replace all; what cannot be read changes nothing") func replace() async throws {
        let pairs = try (0..<2).map { try authority.client("laptop \($0)", end: Date() + 90 * 86_400) }
        for (index, pair) in pairs.enumerated() { try write(pair.pem, "\(index).pem") }
        let running = try await RunningWatch([place(.one(path("0.pem")))])
        defer { running.task.cancel() }
        try await eventually("the identity is in use") { running.leaf != nil }
        await #expect(throws: IdentityError(place: path("2.pem"), problem: .missing)) {
            try await running.watch.replace(by: [place(.one(path("2.pem")))], running.authenticator)
        }
        #expect(running.leaf == (try pairs[0].der))
        try await running.watch.replace(by: [place(.one(path("1.pem")))], running.authenticator)
        #expect(running.leaf == (try pairs[1].der))
        try await running.watch.replace(by: [], running.authenticator)
        #expect(running.leaf == nil)
    }
}

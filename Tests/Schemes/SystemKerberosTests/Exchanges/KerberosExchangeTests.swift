import LiveServers
import Testing
import Waiting

@testable import SystemKerberos

/// Exchanges through a worker: without a library, and in a realm.
@Suite(.inTurn, .serialized) struct KerberosExchangeTests {
    /// A context that takes one step, and counts how many of its kind there are.
    private struct Counted: KerberosContext, ~Copyable {
        final class Count: @unchecked Sendable {
            let lock = ThreadSignals()
            private var value = 0

            func add(_ number: Int) {
                lock.lock()
                value += number
                lock.unlock()
            }

            var now: Int {
                lock.lock()
                defer { lock.unlock() }
                return value
            }
        }

        let count: Count
        let fails: Bool

        init(_ count: Count, fails: Bool = false) {
            (self.count, self.fails) = (count, fails)
            count.add(1)
        }

        deinit { count.add(-1) }

        mutating func step(_ input: Span<UInt8>) throws(KerberosError) -> KerberosStep {
            if fails { throw KerberosError(.initiate, .noTicket) }
            return KerberosStep(token: [UInt8(input.count)], isComplete: input.count == 2)
        }

        mutating func messageIntegrityCode(of message: Span<UInt8>) throws(KerberosError) -> [UInt8] { [9] }
        mutating func verify(_ code: Span<UInt8>, of message: Span<UInt8>) throws(KerberosError) {}
    }

    @Test("Steps reach one context, which goes with the exchange")
    func oneContext() async throws {
        let (worker, count) = (KerberosWorker(threads: 2, timeLimit: .seconds(600)), Counted.Count())
        do {
            let exchange = KerberosExchange(on: worker) { () throws(KerberosError) in Counted(count) }
            #expect(throws: KerberosError(.wait, .outOfTurn)) {
                try exchange.withContext { (_) throws(KerberosError) in }
            }
            #expect(try await exchange.step([]) == KerberosStep(token: [0], isComplete: false))
            #expect(try await exchange.step([1, 2]) == KerberosStep(token: [2], isComplete: true))
            #expect(count.now == 1)
            let code = try exchange.withContext { (context) throws(KerberosError) in
                try context.messageIntegrityCode(of: [UInt8]().span)
            }
            #expect(code == [9])
        }
        // The thread that ran the last step may hold the exchange a moment longer than its caller.
        try await eventually("the context is released") { count.now == 0 }
    }

    @Test("A failed step deletes the context, and so does the end")
    func ends() async throws {
        let (worker, count) = (KerberosWorker(threads: 2, timeLimit: .seconds(600)), Counted.Count())
        let failing = KerberosExchange(on: worker) { () throws(KerberosError) in Counted(count, fails: true) }
        await #expect(throws: KerberosError(.initiate, .noTicket)) { try await failing.step([]) }
        #expect(count.now == 0)
        await #expect(throws: KerberosError(.wait, .outOfTurn)) { try await failing.step([]) }
        let ended = KerberosExchange(on: worker) { () throws(KerberosError) in Counted(count) }
        _ = try await ended.step([])
        #expect(count.now == 1)
        ended.end()
        #expect(count.now == 0)
        await #expect(throws: KerberosError(.wait, .outOfTurn)) { try await ended.step([]) }
    }

    @Test("Parallel log-ons through one credential all succeed, and room is bounded", .needs(.kerberos))
    func parallel() async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        let lines = try await Programs.run(["wait", "--count", "200"], in: realm, cache: "jdoe.cache")
        #expect(lines.first == "jdoe@ACME.TEST 200")
        let few = try await Programs.run(
            ["wait", "--count", "64", "--waiting", "1", "--threads", "1"],
            in: realm,
            cache: "jdoe.cache"
        )
        #expect(few.contains { $0.hasPrefix("overloaded ") })
    }

    @Test("A silent KDC costs the caller its time limit or nothing more after cancellation", .needs(.kerberos))
    func silence() async throws {
        let realm = try await KerberosRealm.started()
        try realm.stop()
        let source = ["--password", "Correct-Horse", "--principal", "jdoe"]
        let late = try await Programs.run(["wait", "--count", "6", "--limit", "500"] + source, in: realm)
        #expect(late.first == "timedOut 6")
        // MIT's library gives a KDC up after more than 30 s.
        #expect((500...30_000).contains(try milliseconds(late)), "\(late)")
        let cancelled = try await Programs.run(["wait", "--count", "6", "--cancel", "200"] + source, in: realm)
        #expect(cancelled.first == "cancelled 6")
        #expect((200...30_000).contains(try milliseconds(cancelled)), "\(cancelled)")
        try realm.go()
        #expect(try await Programs.run(["wait"] + source, in: realm).first == "jdoe@ACME.TEST 1")
    }

    private func milliseconds(_ lines: [String]) throws -> Int {
        try #require(lines.last?.split(separator: " ").last.flatMap { Int($0) })
    }
}

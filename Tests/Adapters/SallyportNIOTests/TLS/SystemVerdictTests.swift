import Foundation
import Hostnames
import LiveServers
import NIOSSL
import SPKIPins
import Sallyport
import Synchronization
import TestLimits
import Testing
import X509

@testable import SallyportNIO

/// A verifier whose system has a trust of its own, as Apple's have. The tests say what it answers.
@Suite(.inTurn) struct SystemVerdictTests {
    private var world: TLSWorld
    private let issuer: TestAuthority

    init() throws {
        world = try TLSWorld()
        issuer = try world.root.authority("Issuer")
    }

    private func verify(
        _ presented: [Certificate],
        _ roots: TLSSettings.Roots = .system,
        in world: TLSWorld? = nil,
        _ evaluation: @escaping SystemTrust.Evaluation
    ) async throws -> Result<[[UInt8]], TLSError> {
        let verifier = try ServerVerifier(roots, KeyFloor(), evaluation: evaluation)
        let handler = ChallengeHandler(try (world ?? self.world).compiled)
        let result = try await verifier.verify(presented.map { try $0.nio }, of: TLSWorld.wiki, handler)
        return result.map { chain in chain.map { (try? $0.toDERBytes()) ?? [] } }
    }

    /// Why the server is refused; `nil` if it is not.
    private func refusal(_ result: Result<[[UInt8]], TLSError>) -> InvalidServer? {
        guard case .failure(.serverNotValidated(_, let reason, _)) = result else { return nil }
        return reason
    }

    @Test("The system's path is verified, with what the server did not send, and on no thread of a task")
    func path() async throws {
        let leaf = try issuer.leaf("wiki.example")
        let path = [try leaf.der, try issuer.own.der, try world.root.own.der]
        let asked = Mutex<[([[UInt8]], Hostname, Bool)]>([])
        let result = try await verify([leaf.certificate]) { presented, host in
            asked.withLock { $0.append((presented, host, unsafe withUnsafeCurrentTask { unsafe $0 != nil })) }
            return path
        }
        #expect(result == .success(path))
        let calls = asked.withLock { $0 }
        #expect(calls.count == 1 && calls.first?.0 == [path[0]])
        #expect(calls.first?.1 == (try TLSWorld.wiki.host) && calls.first?.2 == false)
    }

    @Test("The rules of the search hold for the system's path, too") func rules() async throws {
        let root = try world.root.own.der
        let other = try world.root.leaf("other.example")
        let otherDER = try other.der
        #expect(refusal(try await verify([other.certificate]) { _, _ in [otherDER, root] }) == .otherName)
        // The path of another server does not vouch for this one.
        let stranger = try TestAuthority("Stranger").leaf("wiki.example")
        #expect(
            refusal(try await verify([stranger.certificate]) { _, _ in [otherDER, root] })
                == .unknownAuthority(issuer: "CN=Stranger")
        )
        let leaf = try world.root.leaf("wiki.example")
        let leafDER = try leaf.der
        var pinned = world
        pinned.pins = [TLSWorld.entry(try other.pin)]
        let rejected = try await verify([leaf.certificate], in: pinned) { _, _ in [leafDER, root] }
        guard case .failure(.serverRejected) = rejected else {
            Issue.record("\(rejected)")
            return
        }
        for path in [[], [leafDER, [0x30, 0]]] {
            guard case .refusedBySystem? = refusal(try await verify([leaf.certificate]) { _, _ in path }) else {
                Issue.record("a path that cannot be read is taken: \(path.count)")
                continue
            }
        }
    }

    @Test("A refusal has the reason that others have, and names the certificate that is the cause") func reasons()
        async throws
    {
        let over = TestAuthority.Changes(begin: Date() - 7200, end: Date() - 60)
        let old = try world.root.authority("Old", over)
        let leaf = try old.leaf("wiki.example")
        let chain = [leaf.certificate, old.own.certificate]
        let expected: [(SystemTrustProblem, InvalidServer)] = [
            (.expired, .expired(subject: "CN=Old")), (.notYetValid, .notYetValid(subject: "CN=Leaf")),
            (.unknownAuthority, .unknownAuthority(issuer: "CN=Old")), (.otherName, .otherName),
            (.otherUse, .otherUse(subject: "CN=Leaf")), (.refused(reason: "no"), .refusedBySystem(reason: "no")),
        ]
        for (problem, reason) in expected {
            #expect(refusal(try await verify(chain) { _, _ throws(SystemTrustProblem) in throw problem }) == reason)
        }
    }

    @Test("A root of the settings vouches for what the system does not know; a trusted key for nothing that it refuses")
    func others() async throws {
        let leaf = try world.root.leaf("wiki.example")
        let own = TLSSettings.Roots.systemAnd([try world.root.own.der])
        let found = try await verify([leaf.certificate], own) { _, _ throws(SystemTrustProblem) in
            throw .unknownAuthority
        }
        #expect(found == .success([try leaf.der, try world.root.own.der]))
        var trusting = world
        trusting.trustedKeys = [TrustedKey(host: try TLSWorld.wiki.host, pin: try leaf.pin, until: .max)]
        let unknown = try await verify([leaf.certificate], in: trusting) { _, _ throws(SystemTrustProblem) in
            throw .unknownAuthority
        }
        #expect(unknown == .success([try leaf.der]))
        let revoked = try await verify([leaf.certificate], in: trusting) { _, _ throws(SystemTrustProblem) in
            throw .refused(reason: "revoked")
        }
        #expect(refusal(revoked) == .refusedBySystem(reason: "revoked"))
    }
}

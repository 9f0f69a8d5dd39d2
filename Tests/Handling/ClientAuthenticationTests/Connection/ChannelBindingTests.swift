import HTTPAuthentication
import HTTPTypes
import NTLM
import Negotiate
import Secrets
import Synchronization
import TestLimits
import Testing
import WireFormat

@testable import ClientAuthentication

/// The channel bindings of one connection, which take the place of those in the options.
@Suite(.inTurn) struct ChannelBindingTests {
    private static let ours = ChannelBindings(applicationData: Array("tls-server-end-point:ours".utf8).span)
    private static let other = ChannelBindings(applicationData: Array("tls-server-end-point:other".utf8).span)

    /// What the server says to a right password with a binding.
    private static func step(
        _ scheme: ClientScheme,
        _ policy: ServerHandshake.BindingPolicy?,
        _ binding: ChannelBindings?
    ) async throws -> ClientStep {
        var client = TestClient([scheme])
        client.connection = client.authenticator.connection(from: nil, isEncrypted: true, channelBindings: policy)
        let account = try NTLMAccount(user: "jdoe", domain: "ACME", hash: NTHash(password: TestClient.password))
        var handshake = ClientHandshake(account: account, options: .init(channelBindings: binding))
        let name = scheme == .ntlm ? "NTLM " : "Negotiate "
        let refusal = try #require(client.receive(name + Base64.encode(handshake.negotiate().span)).refusal)
        let token = try #require(refusal.fields[values: .wwwAuthenticate].first?.dropFirst(name.count))
        let challenge = try Base64.decode(token)
        let message = try handshake.authenticate(challenge: challenge.span, now: client.time.now)
        return try await client.send(name + Base64.encode(message.span))
    }

    @Test(
        "NTLM, plain and inside Negotiate: the right binding, another one, and none",
        arguments: [ClientScheme.ntlm, .negotiate]
    )
    func ntlm(scheme: ClientScheme) async throws {
        for policy in [ServerHandshake.BindingPolicy.accepted([Self.ours]), .required([Self.ours])] {
            let right = try await Self.step(scheme, policy, Self.ours).client
            #expect(right?.isBoundToChannel == true)
            let wrong = try await Self.step(scheme, policy, Self.other)
            #expect(wrong.refusal?.reason == .ntlm(.channelBindingsMismatch))
        }
        let unbound = try await Self.step(scheme, .accepted([Self.ours]), nil).client
        #expect(unbound?.isBoundToChannel == false)
        let refused = try await Self.step(scheme, .required([Self.ours]), nil).refusal?.reason
        #expect(refused == .ntlm(.channelBindingsMissing))
        // Without a rule of the connection those of the options count, which compare nothing.
        #expect(try await Self.step(scheme, nil, Self.other).client != nil)
        // A certificate without a binding: none is right.
        #expect(try await Self.step(scheme, .required([]), Self.ours).client == nil)
    }

    @Test("Kerberos gets the binding of the connection, and whether it is demanded") func kerberos() async throws {
        for (policy, isDemanded) in [
            (ServerHandshake.BindingPolicy.accepted([Self.ours]), false), (.required([Self.ours]), true),
        ] {
            let verifier = Verifier()
            var client = TestClient([.negotiate], kerberos: verifier)
            client.connection = client.authenticator.connection(from: nil, isEncrypted: true, channelBindings: policy)
            let ticket: [UInt8] = [0xC0, 0xFF, 0xEE]
            let token = InitialMessage.base64(MechanismList([.kerberos]), token: ticket.span, prefix: "Negotiate ")
            guard case .ask(let question) = client.receive(token) else { throw TestFailure.unexpected }
            _ = try? await question.ask(client.authenticator.directory)
            let claims = verifier.claims.withLock { $0 }
            #expect(claims.map(\.channelBinding) == [Array("tls-server-end-point:ours".utf8)])
            #expect(claims.map(\.demandsBinding) == [isDemanded])
        }
    }

    /// Remembers what it is asked.
    private final class Verifier: SystemMessageVerifier {
        let claims = Mutex<[SystemClaim]>([])

        func acceptance(of claim: SystemClaim) async throws -> SystemAcceptance {
            claims.withLock { $0.append(claim) }
            throw SystemRefusal("not judged here")
        }
    }
}

import HTTPAuthentication
import HTTPTypes
import NTLM
import Negotiate
import Synchronization
import TestLimits
import Testing
import WireFormat

@testable import ClientAuthentication

/// Our server's side of Negotiate with Kerberos, whose library is played by the test. Tokens are laid out as RFC 4178 section 4.2 says.
@Suite(.inTurn) struct KerberosConnectionTests {
    private static let ticket: [UInt8] = [0xC0, 0xFF, 0xEE]

    /// Takes the ticket, refuses any other, and breaks when told to.
    private final class Verifier: SystemMessageVerifier {
        struct Broken: Error {}

        let client: String
        let isBroken: Bool
        let claims = Mutex<[SystemClaim]>([])

        init(client: String = "jdoe@ACME.TEST", isBroken: Bool = false) {
            (self.client, self.isBroken) = (client, isBroken)
        }

        func acceptance(of claim: SystemClaim) async throws -> SystemAcceptance {
            claims.withLock { $0.append(claim) }
            if isBroken { throw Broken() }
            guard claim.message == KerberosConnectionTests.ticket || claim.message.first == 0x60 else {
                throw SystemRefusal("the ticket is wrong")
            }
            return SystemAcceptance(
                client: client,
                message: [7],
                isBoundToChannel: claim.channelBinding != nil,
                keys: Keys()
            )
        }
    }

    /// The server's code is 1 and the bytes, the client's 2 and the bytes.
    private final class Keys: SystemKeys {
        func integrityCode(over bytes: [UInt8]) -> [UInt8] { [1] + bytes }
        func verify(integrityCode: [UInt8], over bytes: [UInt8]) throws {
            guard integrityCode == [2] + bytes else { throw Verifier.Broken() }
        }
    }

    private static func first(_ mechanisms: [Mechanism] = [.kerberos, .ntlm], _ token: [UInt8] = ticket) -> String {
        InitialMessage.base64(MechanismList(mechanisms), token: token.span, prefix: "Negotiate ")
    }

    private static func later(_ content: ResponseMessage.Content) -> String {
        ResponseMessage.base64(content, prefix: "Negotiate ")
    }

    private static func bytes(_ fields: HTTPFields?) throws -> [UInt8] {
        let value = try #require(fields?[.wwwAuthenticate])
        return try Base64.decode(value.dropFirst("Negotiate ".count))
    }

    @Test("A right ticket: one request, the proof in its response, and the connection is the client's") func right()
        async throws
    {
        let verifier = Verifier()
        var client = TestClient(kerberos: verifier)
        guard case .accept(let acceptance) = try await client.send(Self.first()) else { throw TestFailure.unexpected }
        let name = ClientName(user: "jdoe", domain: "ACME.TEST")
        #expect(acceptance.client.name == name && acceptance.client.mechanism == .kerberos)
        #expect("\(acceptance.client)" == #"ACME.TEST\jdoe (negotiate, Kerberos)"#)
        let token = try Self.bytes(acceptance.fields)
        // NegTokenResp { accept-completed, supportedMech 1.2.840.113554.1.2.2, responseToken 07 }.
        #expect(Hexadecimal.encode(token.span) == "a1193017a0030a0100a10b06092a864886f712010202a203040107")
        #expect(client.receive(nil).client?.name == name)
        // Another ticket that is wrong ends the log-on.
        #expect(try await client.send(Self.first([.kerberos], [1])).refusal?.reason == .ticket("the ticket is wrong"))
        #expect(client.receive(nil).refusal?.reason == .unanswered)
    }

    @Test("A ticket without the frame is taken") func raw() async throws {
        var client = TestClient(kerberos: Verifier())
        // 60 L 06 09 1.2.840.113554.1.2.2 and a byte (RFC 2743 section 3.1).
        let token = try Hexadecimal.decode("600c06092a864886f71201020201")
        let step = try await client.send("Negotiate " + Base64.encode(token.span))
        #expect(step.client?.name == ClientName(user: "jdoe", domain: "ACME.TEST"))
        guard case .accept(let acceptance) = step else { throw TestFailure.unexpected }
        #expect(acceptance.fields[.wwwAuthenticate] == "Negotiate Bw==")
    }

    @Test("Connections that clients share: each request brings a ticket, and NTLM is not taken") func shared()
        async throws
    {
        var client = TestClient([.negotiate, .ntlm], isPinned: false, kerberos: Verifier())
        #expect(client.receive(nil).refusal?.fields[values: .wwwAuthenticate] == ["Negotiate"])
        #expect(try await client.send(Self.first()).client != nil)
        #expect(client.receive(nil).refusal?.reason == .unanswered)
        let ntlm = Self.first([.ntlm], [UInt8]("NTLMSSP\0".utf8))
        #expect(client.receive(ntlm).refusal?.reason == .negotiation(.noCommonMechanism))
        // The next message could be another client's.
        #expect(
            client.receive(Self.first([.negoEx, .kerberos])).refusal?.reason == .negotiation(.integrityCodeMissing)
        )
    }

    @Test("Where Kerberos is not the client's first choice, both sides check the list") func codes() async throws {
        let list = MechanismList([.negoEx, .kerberos]).bytes
        for code in [[2] + list, [1] + list, nil] {
            var client = TestClient(kerberos: Verifier())
            let choice = try Self.bytes(client.receive(Self.first([.negoEx, .kerberos])).refusal?.fields)
            #expect(try ResponseMessage(of: choice.span).state == .demandsIntegrityCode)
            let step = try await client.send(Self.later(.init(token: Self.ticket)))
            #expect(step.refusal?.reason == .unanswered && step.refusal?.continuesHandshake == true)
            let reply = try Self.bytes(step.refusal?.fields)
            let token = try ResponseMessage(of: reply.span)
            #expect(token.state == .incomplete && token.token.map { Array(reply[$0]) } == [7])
            #expect(token.integrityCode.map { Array(reply[$0]) } == [1] + list)
            // Nothing is authenticated before the client's code.
            let last = client.receive(Self.later(.init(token: code == nil ? [1] : nil, integrityCode: code)))
            switch code?.first {
            case 2:
                #expect(last.client?.mechanism == .kerberos)
                #expect(client.receive(nil).client != nil)
            case 1: #expect(last.refusal?.reason == .negotiation(.integrityCodeWrong))
            default: #expect(last.refusal?.reason == .negotiation(.unexpectedToken))
            }
            if code?.first != 2 { #expect(client.receive(nil).refusal?.reason == .unanswered) }
        }
        var client = TestClient(kerberos: Verifier())
        _ = client.receive(Self.first([.negoEx, .kerberos]))
        _ = try await client.send(Self.later(.init(token: Self.ticket)))
        #expect(client.receive(nil).refusal?.reason == .unanswered)
        let late = client.receive(Self.later(.init(integrityCode: [2] + list)))
        #expect(late.refusal != nil && late.client == nil)
    }

    @Test("Without a keytab, with a broken one, and for a principal that is no account") func obstacles() async throws {
        var none = TestClient()
        let token = try Hexadecimal.decode("600c06092a864886f71201020201")
        guard case .ticket = none.receive("Negotiate " + Base64.encode(token.span)).refusal?.reason else {
            throw TestFailure.unexpected
        }
        var broken = TestClient(kerberos: Verifier(isBroken: true))
        guard case .ask(let question) = broken.receive(Self.first()) else { throw TestFailure.unexpected }
        #expect(question.name == nil && "\(question)" == "<question about a ticket>")
        await #expect(throws: Verifier.Broken.self) { try await question.ask(broken.authenticator.directory) }
        let refusal = broken.connection.replied(nil, to: question).refusal
        #expect(refusal?.status == 503 && refusal?.reason == .noReply)
        for principal in ["jdoe", "@ACME.TEST", "jdoe@", #"j\@doe@ACME.TEST"#, "j\ndoe@ACME.TEST"] {
            var client = TestClient(kerberos: Verifier(client: principal))
            let step = try await client.send(Self.first())
            guard case .ticket = step.refusal?.reason else { throw TestFailure.unexpected }
        }
    }

    @Test("The channel binding goes to the library, and is demanded as the options say") func bindings() async throws {
        let data = [UInt8]("tls-server-end-point:0".utf8)
        let binding = ChannelBindings(applicationData: data.span)
        for (policy, isDemanded) in [
            (ServerHandshake.BindingPolicy.accepted([binding]), false), (.required([binding]), true),
        ] {
            let verifier = Verifier()
            var client = TestClient(kerberos: verifier, bindings: policy)
            #expect(try await client.send(Self.first()).client?.isBoundToChannel == true)
            let claims = verifier.claims.withLock { $0 }
            #expect(claims.first?.channelBinding == data && claims.first?.demandsBinding == isDemanded)
        }
        var client = TestClient(kerberos: Verifier(), bindings: .required([]))
        #expect(try await client.send(Self.first()).client == nil)
    }
}

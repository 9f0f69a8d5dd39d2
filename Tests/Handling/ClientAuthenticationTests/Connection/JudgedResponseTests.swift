import Crypto
import Foundation
import HTTPAuthentication
import HTTPTypes
import NTLM
import Secrets
import Synchronization
import TestLimits
import Testing
import WireFormat

@testable import ClientAuthentication

/// A directory that tells no hash and judges responses itself, as a domain controller does.
private final class Judge: ClientDirectory {
    /// The NT hash of `Password`, from MS-NLMP 4.2.2.1.2.
    private let hash: [UInt8] = [
        0xA4, 0xF4, 0x9C, 0x40, 0x65, 0x10, 0xBD, 0xCA, 0xB6, 0x82, 0x4E, 0xE7, 0xC3, 0x0F, 0xD8, 0x52,
    ]
    private let changesKey: Bool
    private let asked = Mutex<[ClientProof]>([])

    init(changesKey: Bool = false) { self.changesKey = changesKey }

    var proofs: [ClientProof] { asked.withLock { $0 } }

    func secret(of name: ClientName) async -> ClientSecret? { nil }

    /// MS-NLMP 3.3.2, by swift-crypto.
    func judgement(of proof: ClientProof, of name: ClientName) async throws -> ProofJudgement {
        asked.withLock { $0.append(proof) }
        func code(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
            Array(HMAC<Insecure.MD5>.authenticationCode(for: Data(message), using: SymmetricKey(data: key)))
        }
        let names = proof.user.uppercased() + proof.domain
        let key = code(hash, names.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        let sent = Array(proof.response.prefix(16))
        guard code(key, proof.serverChallenge + proof.response.dropFirst(16)) == sent else { return .wrong }
        var base = code(key, sent)
        if changesKey { base[0] ^= 1 }
        return .right(try SessionBaseKey(base.span))
    }
}

/// Responses of NTLM that the directory judges.
@Suite(.inTurn) struct JudgedResponseTests {
    private static let jdoe = ClientName(user: "jdoe", domain: "ACME")

    /// A whole handshake in the order of the connection's steps.
    private static func logOn(
        to directory: Judge,
        scheme: ClientScheme = .ntlm,
        password: String = "Password"
    ) async throws -> ClientStep {
        let options = ClientAuthenticationOptions(
            party: .origin,
            realm: "wiki",
            schemes: [scheme],
            ntlm: ServerHandshake.Options(computerName: "WIKI", domainName: "ACME")
        )
        let authenticator = ClientAuthenticator(options, directory: directory)
        var connection = authenticator.connection(from: "192.0.2.1", isEncrypted: true, isPinned: true)
        func step(_ token: [UInt8]) async throws -> ClientStep {
            let fields: HTTPFields = [.authorization: "NTLM " + Base64.encode(token.span)]
            let step = connection.received(method: "GET", target: "/", fields: fields)
            guard case .ask(let question) = step else { return step }
            return connection.replied(try await question.ask(directory), to: question)
        }
        let account = try NTLMAccount(user: "jdoe", domain: "ACME", hash: NTHash(password: password))
        var handshake = ClientHandshake(account: account)
        let refusal = try #require(try await step(handshake.negotiate()).refusal)
        let value = try #require(refusal.fields[values: .wwwAuthenticate].first)
        let challenge = try Base64.decode(value.dropFirst("NTLM ".count))
        return try await step(handshake.authenticate(challenge: challenge.span, now: .now))
    }

    @Test("A response that the directory calls right lets the client in, under the key that the directory gives")
    func right() async throws {
        let directory = Judge()
        #expect(try await Self.logOn(to: directory).client?.name == Self.jdoe)
        let proof = try #require(directory.proofs.first)
        #expect(proof.user == "jdoe" && proof.domain == "ACME" && proof.serverChallenge.count == 8)
        #expect("\(proof)" == "<NTLM response of 'ACME\\jdoe'>" && Mirror(reflecting: proof).children.isEmpty)
    }

    @Test("A response that the directory calls wrong is refused as a wrong password")
    func wrong() async throws {
        #expect(try await Self.logOn(to: Judge(), password: "password").refusal?.reason == .wrong(Self.jdoe))
    }

    @Test("With another key of the session the client's integrity code is wrong")
    func wrongKey() async throws {
        #expect(try await Self.logOn(to: Judge(changesKey: true)).refusal?.reason == .wrong(Self.jdoe))
    }

    @Test("The directory is not asked about a message that is refused anyway")
    func refusedBefore() async throws {
        let directory = Judge()
        var options = ServerHandshake.Options(computerName: "WIKI", domainName: "ACME")
        options.channelBindings = .required([])
        let authenticator = ClientAuthenticator(
            ClientAuthenticationOptions(party: .origin, realm: "wiki", schemes: [.ntlm], ntlm: options),
            directory: directory
        )
        var connection = authenticator.connection(from: "192.0.2.1", isEncrypted: true, isPinned: true)
        var handshake = ClientHandshake(
            account: try NTLMAccount(user: "jdoe", domain: "ACME", hash: NTHash(password: "Password"))
        )
        func receive(_ token: [UInt8]) -> ClientStep {
            let fields: HTTPFields = [.authorization: "NTLM " + Base64.encode(token.span)]
            return connection.received(method: "GET", target: "/", fields: fields)
        }
        let value = try #require(receive(handshake.negotiate()).refusal?.fields[values: .wwwAuthenticate].first)
        let challenge = try Base64.decode(value.dropFirst("NTLM ".count))
        let message = try handshake.authenticate(challenge: challenge.span, now: .now)
        #expect(receive(message).refusal?.reason == .ntlm(.channelBindingsMissing))
        // The handshake is over: the message is out of step now.
        #expect(receive(message).refusal?.reason == .ntlm(.wrongStep))
        #expect(directory.proofs.isEmpty)
    }
}

import Crypto
import Foundation
import HTTPAuthentication
import HTTPTypes
import NTLM
import Negotiate
import Secrets

@testable import ClientAuthentication

/// One client of an authenticator, with a clock of its own.
struct TestClient {
    static let password = "Correct-Horse"

    let time: ManualTime
    let authenticator: ClientAuthenticator
    var connection: ClientConnection

    init(
        _ schemes: [ClientScheme] = ClientScheme.allCases,
        party: ChallengedParty = .origin,
        isEncrypted: Bool = true,
        isPinned: Bool = true,
        kerberos: (any SystemMessageVerifier)? = nil,
        bindings: ServerHandshake.BindingPolicy = .off
    ) {
        let time = ManualTime()
        self.time = time
        let options = ClientAuthenticationOptions(
            party: party,
            realm: "wiki",
            schemes: schemes,
            ntlm: ServerHandshake.Options(computerName: "WIKI", domainName: "ACME", channelBindings: bindings),
            kerberos: kerberos,
            guesses: GuessRules(perAccount: 3)
        )
        let directory = FixedDirectory([
            ClientName(user: "jdoe"): .password(SharedSecret(utf8: Self.password)),
            ClientName(user: "jdoe", domain: "ACME"): .password(SharedSecret(utf8: Self.password)),
        ])
        authenticator = ClientAuthenticator(options, directory: directory) { time.now }
        connection = authenticator.connection(from: "192.0.2.1", isEncrypted: isEncrypted, isPinned: isPinned)
    }

    /// Sends a request and asks the directory if the authenticator wants that.
    mutating func send(_ answer: String?, method: String = "GET", target: String = "/page") async throws -> ClientStep {
        let step = receive(answer, method: method, target: target)
        guard case .ask(let question) = step else { return step }
        return connection.replied(try await question.ask(authenticator.directory), to: question)
    }

    mutating func receive(_ answer: String?, method: String = "GET", target: String = "/page") -> ClientStep {
        var fields = HTTPFields()
        if let answer { fields[authenticator.options.party.answerField] = answer }
        return connection.received(method: method, target: target, fields: fields)
    }

    /// A nonce of the server.
    mutating func nonce() throws -> String {
        guard case .refuse(let refusal) = receive(nil) else { throw TestFailure.unexpected }
        return try refusal.nonce()
    }

    static func basic(_ user: String, _ password: String = password) -> String {
        "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    /// A Digest answer, made with swift-crypto.
    static func digest(
        nonce: String,
        user: String = "jdoe",
        password: String = password,
        count: Int = 1,
        realm: String = "wiki",
        algorithm: String = "SHA-256",
        method: String = "GET",
        target: String = "/page"
    ) -> String {
        func hash(_ text: String) -> String {
            let bytes = Data(text.utf8)
            let digest: [UInt8] =
                algorithm == "MD5" ? Array(Insecure.MD5.hash(data: bytes)) : Array(SHA256.hash(data: bytes))
            return digest.map { String(format: "%02x", $0) }.joined()
        }
        let digits = String(format: "%08x", count)
        let response = hash(
            "\(hash("\(user):\(realm):\(password)")):\(nonce):\(digits):c0ffee:auth:\(hash("\(method):\(target)"))"
        )
        return
            "Digest username=\"\(user)\", realm=\"\(realm)\", nonce=\"\(nonce)\", uri=\"\(target)\", qop=auth, nc=\(digits), "
            + "cnonce=\"c0ffee\", algorithm=\(algorithm), response=\"\(response)\""
    }
}

enum TestFailure: Error { case unexpected }

extension ClientStep {
    var client: AuthenticatedClientName? {
        if case .accept(let acceptance) = self { acceptance.client } else { nil }
    }

    var refusal: ClientRefusal? {
        if case .refuse(let refusal) = self { refusal } else { nil }
    }
}

extension ClientRefusal {
    /// The nonce of the first Digest challenge.
    func nonce() throws -> String {
        for value in fields[values: .wwwAuthenticate] + fields[values: .proxyAuthenticate] {
            for challenge in try ChallengeParser.parse(value) {
                if let nonce = challenge["nonce"] { return nonce }
            }
        }
        throw TestFailure.unexpected
    }
}

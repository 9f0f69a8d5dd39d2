import Credentials
import Foundation
import HTTPAuthentication
import Hostnames
import Sallyport
import SallyportNIO
import Secrets
import Synchronization
import TestLimits
import TestSupport
import Testing

@testable import SallyportURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.inTurn) struct AuthenticationControllerChallengesTests {
    typealias Method = TestController.Method

    static let laptop = ClientIdentity(name: "laptop", certificateChain: [TestController.certificate])
    static let identities = [AuthenticationSource.IdentityAssignment(laptop, sites: ["*.acme.example"])]
    /// Stands for a credential of the keychain.
    static let keychain = SystemCredentials(
        identity: { URLCredential(user: "key of \($0.name)", password: "", persistence: .none) },
        trust: nil
    )

    // MARK: canHandle

    @Test("canHandle needs an allowed site, a supported method and a credential", .row(8)) func canHandle() throws {
        let test = try TestController(
            sites: "*.acme.example\nhttp://plain.acme.example\nother.example",
            at: ["*.acme.example", "http://plain.acme.example"]
        )
        let plain = "plain.acme.example"
        func obstacle(_ space: URLProtectionSpace) -> String? {
            let obstacle = test.controller.obstacle(in: space)
            #expect(test.controller.canHandle(space) == (obstacle == nil))
            if case .refused(let refusal) = obstacle { return refusal.code }
            return obstacle.map { "\($0)" }
        }
        for method in [Method.basic, Method.digest, Method.ntlm, Method.negotiate] {
            #expect(obstacle(TestController.space(method)) == nil)
            #expect(
                obstacle(TestController.space(method, host: "wiki.acme.example.evil.example")) == "site-not-allowed"
            )
            #expect(obstacle(TestController.space(method, host: "other.example")) == "no-credential")
        }
        #expect(obstacle(TestController.space(Method.basic, host: plain, port: 80, scheme: "http")) == "cleartext")
        #expect(obstacle(TestController.space(Method.digest, host: plain, port: 0, scheme: "http")) == nil)
        for method in [
            Method.trust, NSURLAuthenticationMethodDefault, NSURLAuthenticationMethodHTMLForm, "Bearer", "",
        ] {
            #expect(test.controller.obstacle(in: TestController.space(method)) == .unsupportedMethod(method))
        }
        #expect(obstacle(TestController.space(Method.certificate)) == "no-credential")
    }

    @Test("A space that names no web server is refused") func unreadableSpaces() throws {
        let controller = try TestController().controller
        for (host, scheme) in [
            ("wiki.acme.example", nil), ("wiki.acme.example", "ftp"), ("", "https"), ("a b", "https"),
        ] {
            let space = TestController.space(Method.basic, host: host, scheme: scheme)
            #expect(controller.obstacle(in: space) == .unreadableSpace(host: host))
        }
        let socks = URLProtectionSpace(
            proxyHost: "wiki.acme.example",
            port: 1080,
            type: "SOCKS",
            realm: nil,
            authenticationMethod: Method.basic
        )
        #expect(controller.obstacle(in: socks) == .unreadableSpace(host: "wiki.acme.example"))
    }

    @Test("A scheme outside the profile is not answered", .row(10)) func schemes() throws {
        let controller = try TestController(schemes: [.digest]).controller
        #expect(controller.canHandle(TestController.space(Method.digest)))
        #expect(controller.obstacle(in: TestController.space(Method.ntlm)) == .refused(.noSupportedScheme))
    }

    @Test("canHandle asks for the path that it gets") func paths() throws {
        let controller = try TestController(sites: "https://wiki.acme.example/teams/").controller
        #expect(!controller.canHandle(TestController.space(Method.basic)))
        #expect(controller.canHandle(TestController.space(Method.basic), path: "/teams/a"))
        let space = TestController.space(Method.basic)
        for (path, expected) in [("/teams/a?b", true), ("/other", false)] {
            let challenge = try TestController.challenge(space, offer: "Basic realm=x", path: path)
            #expect(controller.handleChallenge(forURLSessionChallenge: challenge) { _, _ in } == expected)
        }
    }

    @Test("A client certificate needs an identity of the profile and a key of the system") func certificates() throws {
        let space = TestController.space(Method.certificate)
        let without = try TestController(identities: Self.identities).controller
        #expect(without.obstacle(in: space) == .noSystemCredential(name: "laptop"))
        let controller = try TestController(identities: Self.identities, system: Self.keychain).controller
        #expect(controller.canHandle(space))
        let recorder = RecordingSender()
        let challenge = try TestController.challenge(space, offer: nil, sender: recorder)
        #expect(controller.handleChallenge(forURLSessionChallenge: challenge) { recorder.completed($0, $1) })
        #expect(recorder.called == ["0 key of laptop "])
        let again = try TestController.challenge(space, offer: nil, failures: 1)
        #expect(!controller.handleChallenge(forURLSessionChallenge: again) { recorder.completed($0, $1) })
        #expect(recorder.called.count == 1)
    }

    @Test("A proxy gets no client certificate, also where the profile has one for its address")
    func certificateForProxy() throws {
        // A space of the system says nothing of TLS to a proxy, so its origin is http.
        let sites = ["https://proxy.acme.example:8443", "http://proxy.acme.example:8443"]
        let identities = [AuthenticationSource.IdentityAssignment(Self.laptop, sites: sites)]
        let list = sites.joined(separator: "\n")
        let controller = try TestController(sites: list, at: sites, identities: identities, system: Self.keychain)
            .controller
        let server = TestController.space(Method.certificate, host: "proxy.acme.example", port: 8443)
        #expect(controller.obstacle(in: server) == nil)
        let proxy = URLProtectionSpace(
            proxyHost: "proxy.acme.example",
            port: 8443,
            type: "https",
            realm: nil,
            authenticationMethod: Method.certificate
        )
        #expect(controller.obstacle(in: proxy) == .refused(.noCredential))
    }

    // MARK: Answers

    @Test(
        "The credential has the user as the scheme writes it",
        arguments: [
            (Method.basic, "Basic realm=x", "jdoe"), (Method.digest, "Digest realm=x, nonce=n", "jdoe"),
            (Method.ntlm, "NTLM", #"ACME\jdoe"#), (Method.negotiate, "Negotiate", #"ACME\jdoe"#),
        ]
    )
    func users(method: String, offer: String, user: String) throws {
        let controller = try TestController(account: TestController.account(domain: "ACME")).controller
        let recorder = RecordingSender()
        let challenge = try TestController.challenge(TestController.space(method), offer: offer, sender: recorder)
        #expect(controller.handleChallenge(forURLSessionChallenge: challenge) { recorder.completed($0, $1) })
        #expect(recorder.called == ["0 \(user) Correct-Horse"])
        guard case .useCredential(let credential) = controller.disposition(of: challenge) else {
            Issue.record("no credential")
            return
        }
        #expect(credential.persistence == .none)
    }

    @Test("handle answers through the sender, and not through that of URLSession", .row(14)) func sender() throws {
        let controller = try TestController().controller
        let recorder = RecordingSender()
        let space = TestController.space(Method.basic)
        #expect(controller.handle(try TestController.challenge(space, offer: "Basic realm=x", sender: recorder)))
        #expect(recorder.called == ["use jdoe Correct-Horse"])
        let foreign = TestController.space(Method.basic, host: "evil.example")
        #expect(!controller.handle(try TestController.challenge(foreign, offer: "Basic realm=x", sender: recorder)))
        #expect(recorder.called.count == 1)
    }

    @Test("Without a true answer the completion handler is not called", .row(15)) func unhandled() throws {
        let controller = try TestController().controller
        let calls = Mutex(0)
        for method in [Method.trust, Method.certificate, NSURLAuthenticationMethodHTMLForm] {
            let challenge = try TestController.challenge(TestController.space(method), offer: "Basic realm=x")
            #expect(
                !controller.handleChallenge(forURLSessionChallenge: challenge) { _, _ in calls.withLock { $0 += 1 } }
            )
        }
        #expect(calls.withLock { $0 } == 0)
    }

    @Test("The completion handler is called once for each of 1,000 concurrent challenges", .row(16)) func concurrently()
        async throws
    {
        let controller = try TestController().controller
        let calls = Calls(count: 1000)
        let handled = await withTaskGroup(of: (Int, Bool).self) { group in
            for number in 0..<1000 {
                group.addTask {
                    // Every third is for a server that gets no password.
                    let host = number % 3 == 0 ? "evil.example" : "h\(number).acme.example"
                    return (number, Self.isHandled(controller, host) { calls.add(number) })
                }
            }
            // What is cancelled is completed too.
            group.cancelAll()
            return await group.reduce(into: [Int: Bool]()) { $0[$1.0] = $1.1 }
        }
        #expect(handled.count == 1000)
        let counts = calls.counts
        for number in 0..<1000 {
            #expect(handled[number] == (number % 3 != 0))
            #expect(counts[number] == (number % 3 == 0 ? 0 : 1))
        }
    }

    private static func isHandled(
        _ controller: AuthenticationController,
        _ host: String,
        _ completed: @escaping @Sendable () -> Void
    ) -> Bool {
        guard let challenge = try? TestController.basic(host: host) else { return false }
        return controller.handleChallenge(forURLSessionChallenge: challenge) { _, _ in completed() }
    }

    // MARK: Wrong yeses

    @Test("Basic that stands in the text of another challenge is no offer of Basic") func parserConfusion() throws {
        // Linux Foundation 6.3.1 makes a Basic challenge with the realm "evil" of this field.
        let controller = try TestController().controller
        let space = TestController.space(Method.basic)
        let offer = #"Digest realm="hello, Basic realm=evil", nonce="n""#
        let challenge = try TestController.challenge(space, offer: offer)
        #expect(!controller.handleChallenge(forURLSessionChallenge: challenge) { _, _ in })
    }

    @Test("The system does not choose a weaker scheme than the one that we would choose") func weakerScheme() throws {
        let controller = try TestController().controller
        let offer = #"NTLM, Digest realm="x", nonce="n", Basic realm="x""#
        let weak = try TestController.challenge(TestController.space(Method.basic), offer: offer)
        guard case .rejectProtectionSpace(let obstacle) = controller.disposition(of: weak) else {
            Issue.record("Basic was taken although better was offered")
            return
        }
        guard case .weakerScheme(chosen: .basic, let offered) = obstacle else {
            Issue.record("\(obstacle)")
            return
        }
        #expect(offered == .ntlm)
        let strong = try TestController.challenge(TestController.space(Method.ntlm), offer: offer)
        #expect(controller.handleChallenge(forURLSessionChallenge: strong) { _, _ in })
        // A server that offers less than before gets nothing.
        let less = try TestController.challenge(TestController.space(Method.basic), offer: "Basic realm=x")
        #expect(!controller.handleChallenge(forURLSessionChallenge: less) { _, _ in })
    }

    @Test("A challenge without the response of its own server is not answered") func responses() throws {
        let controller = try TestController().controller
        let space = TestController.space(Method.basic)
        let elsewhere = try #require(URL(string: "https://evil.example/"))
        let responses = [
            nil,
            HTTPURLResponse(
                url: elsewhere,
                statusCode: 401,
                httpVersion: nil,
                headerFields: ["WWW-Authenticate": "Basic"]
            ),
            HTTPURLResponse(
                url: try #require(URL(string: "https://wiki.acme.example/")),
                statusCode: 407,
                httpVersion: nil,
                headerFields: ["WWW-Authenticate": "Basic realm=x"]
            ),
        ]
        for response in responses {
            let challenge = URLAuthenticationChallenge(
                protectionSpace: space,
                proposedCredential: nil,
                previousFailureCount: 0,
                failureResponse: response,
                error: nil,
                sender: RecordingSender()
            )
            #expect(!controller.handleChallenge(forURLSessionChallenge: challenge) { _, _ in })
        }
    }

    @Test("A proxy gets a password only as a proxy that the profile names") func proxies() throws {
        let controller = try TestController().controller
        func handles(
            _ host: String,
            _ method: String,
            _ offer: String,
            by controller: AuthenticationController
        ) throws -> Bool {
            let space = URLProtectionSpace(
                proxyHost: host,
                port: 3128,
                type: "https",
                realm: nil,
                authenticationMethod: method
            )
            let challenge = try TestController.challenge(space, offer: offer)
            return controller.handleChallenge(forURLSessionChallenge: challenge) { _, _ in }
        }
        // A rule without a scheme and port means https on 443.
        #expect(try !handles("proxy.acme.example", Method.ntlm, "NTLM", by: controller))
        let named = try TestController(sites: "http://proxy.acme.example:3128", at: ["http://proxy.acme.example:3128"])
        #expect(try handles("proxy.acme.example", Method.ntlm, "NTLM", by: named.controller))
        #expect(try !handles("other.acme.example", Method.ntlm, "NTLM", by: named.controller))
        // The connection to the proxy is not encrypted, whatever goes through it.
        #expect(try !handles("proxy.acme.example", Method.basic, "Basic realm=x", by: named.controller))
    }

    // MARK: Server trust

    // Computed by OpenSSL 3.0: `openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64`.
    private static let pin = "x0QbSTEC3hfhtGiQETtyf/iwML2Vm8+yqTmmoUaV6jA="

    /// A controller whose profile pins `pinned.example`.
    private static func pinned(_ pin: Pin, _ system: SystemCredentials) throws -> TestController {
        let test = try TestController(system: system)
        var profile = test.current.handler.compiled.profile
        let backup = PinPolicy.Backup.unsafeSinglePin(reason: "test")
        profile.pins = [.init(host: "pinned.example", pins: [.init(pin)], backup: backup, expiry: nil)]
        test.current.replace(with: try CompiledProfile(profile, at: 0))
        return test
    }

    @Test("The system evaluates a server with pins on another thread, and the handler gets the answer", .row(80))
    func evaluation() async throws {
        let chain = try ValidatedChain(assertingValidated: Self.laptop.certificateChain)
        let gate = DispatchSemaphore(value: 0)
        let system = SystemCredentials(identity: nil) { _, host in
            gate.wait()
            return SystemCredentials.Trust(
                trust: ServerTrust(host: host, chain: chain),
                credential: URLCredential(user: "trust", password: "", persistence: .none)
            )
        }
        let controller = try Self.pinned(try Pin(parsing: Self.pin), system).controller
        let space = TestController.space(Method.trust, host: "pinned.example")
        let challenge = try TestController.challenge(space, offer: nil)
        let user = await withCheckedContinuation { continuation in
            let isHandled = controller.handleChallenge(forURLSessionChallenge: challenge) { answer, credential in
                continuation.resume(returning: answer == .useCredential ? credential?.user : nil)
            }
            if !isHandled { continuation.resume(returning: "not handled") }
            // The call has returned, so it does not wait for the system.
            gate.signal()
        }
        #expect(user == "trust")
        let other = TestController.space(Method.trust, host: "other.example")
        #expect(
            try !controller.handleChallenge(
                forURLSessionChallenge: TestController.challenge(other, offer: nil),
                completionHandler: { _, _ in Issue.record("called for a server without pins") }
            )
        )
    }

    @Test("Server trust is ours where the profile has pins, and the system's elsewhere", .row(80)) func trust() throws {
        let pin = try Pin(parsing: Self.pin)
        for (presented, host, expected) in [
            (Self.laptop.certificateChain, "pinned.example", "use a credential"),
            (nil, "pinned.example", "cancel"), ([[0x30, 0x00]], "pinned.example", "cancel"),
            (Self.laptop.certificateChain, "other.example", "perform default handling"),
        ] {
            let chain = try presented.map { try ValidatedChain(assertingValidated: $0) }
            let system = SystemCredentials(identity: nil) { _, host in
                SystemCredentials.Trust(
                    trust: ServerTrust(host: host, chain: chain),
                    credential: URLCredential(user: "trust", password: "", persistence: .none)
                )
            }
            let test = try Self.pinned(pin, system)
            let space = TestController.space(Method.trust, host: host)
            let disposition = test.controller.disposition(of: try TestController.challenge(space, offer: nil))
            #expect("\(disposition)".hasPrefix(expected), "\(disposition)")
            #expect(test.controller.canHandle(space) == (host == "pinned.example"))
        }
    }

    @Test("Nothing that a controller prints shows the password", .row(32)) func descriptions() throws {
        let test = try TestController()
        let disposition = test.controller.disposition(of: try TestController.basic())
        let credentials = UserCredentials(user: "u", password: SharedSecret(utf8: TestController.password))
        var text = "\(disposition) \(String(reflecting: disposition)) \(credentials)"
        for value in [disposition, credentials, test.controller, test.controller.account as Any] as [Any] {
            dump(value, to: &text)
        }
        #expect(!text.contains("Horse"))
        #expect(text.contains("use a credential"))
    }
}

/// How often each of many completion handlers was called.
private final class Calls: Sendable {
    private let numbers: Mutex<[Int]>

    init(count: Int) { numbers = Mutex([Int](repeating: 0, count: count)) }

    var counts: [Int] { numbers.withLock { $0 } }
    func add(_ number: Int) { numbers.withLock { $0[number] += 1 } }
}

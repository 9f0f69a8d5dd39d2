import ClientAuthentication
import Crypto
import Foundation
import LiveServers
import NTLM
import SallyportNIO
import Testing

/// What a server compares, for a certificate whose hash swift-crypto makes (RFC 5929 section 4.1: SHA-256, as in its signature).
@Suite(.inTurn) struct ChannelBindingDemandTests {
    @Test("The binding of the certificate, and none where nothing can be compared") func policies() throws {
        let leaf = try TestAuthority("Root").leaf("localhost").der
        let binding = ChannelBindings(tlsServerEndPoint: [UInt8](SHA256.hash(data: leaf)).span)
        #expect(ChannelBindingDemand.accepted.policy(for: leaf) == .accepted([binding]))
        #expect(ChannelBindingDemand.required.policy(for: leaf) == .required([binding]))
        #expect(ChannelBindingDemand.off.policy(for: leaf) == nil)
        for unknown in [nil, [1, 2, 3]] as [[UInt8]?] {
            #expect(ChannelBindingDemand.accepted.policy(for: unknown) == nil)
            // No binding is right, so nobody is let in.
            #expect(ChannelBindingDemand.required.policy(for: unknown) == .required([]))
        }
        #expect(ChannelBindingDemand.gap(of: leaf) == nil && ChannelBindingDemand.gap(of: [1]) != nil)
    }

    @Test("A handler that knows its certificate compares what pyspnego binds", .needs(.python, .pyspnego))
    func handler() async throws {
        let leaf = try TestAuthority("Root").leaf("localhost").der
        let script = """
            import base64, http.client, sys
            import spnego
            from spnego.channel_bindings import GssChannelBindings
            port, digest = int(sys.argv[1]), bytes.fromhex(sys.argv[2])
            bindings = GssChannelBindings(application_data=b"tls-server-end-point:" + digest) if digest else None
            client = spnego.client("ACME\\\\jdoe", "Correct-Horse", protocol="ntlm", channel_bindings=bindings)
            connection = http.client.HTTPConnection("127.0.0.1", port)
            def ask(token):
                connection.request("GET", "/", headers={"Authorization": "NTLM " + base64.b64encode(token).decode()})
                response = connection.getresponse()
                response.read()
                return response
            challenge = ask(client.step()).headers["WWW-Authenticate"].split()[1]
            print(ask(client.step(base64.b64decode(challenge))).status)
            """
        let right = SHA256.hash(data: leaf).map { String(format: "%02x", $0) }.joined()
        for (demand, expected) in [
            (ChannelBindingDemand.off, [200, 200, 200]), (.accepted, [200, 401, 200]), (.required, [200, 401, 401]),
        ] {
            var options = AuthenticationServerOptions.patient
            (options.isEncrypted, options.certificate, options.channelBinding) = (true, leaf, demand)
            let server = try await AuthenticatingServer([.ntlm], handler: options)
            defer { server.stop() }
            let statuses = try [right, String(repeating: "ab", count: 32), ""].map { digest in
                try AuthenticatingServer.run(["python3", "-c", script, "\(server.port)", digest]).output
            }
            #expect(statuses == expected.map { "\($0)\n" }, "\(demand)")
        }
    }
}

import NIOCore
import NIOSSL
import Testing

@testable import SallyportNIO

/// The sentences about errors of NIOSSL.
@Suite struct TLSReasonTests {
    @Test("Each error that a program can make has a sentence, and no name of NIOSSL is in it")
    func sentences() {
        for (error, expected) in [
            (NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])) as any Error, TLSReason.closed),
            (
                NIOSSLError.uncleanShutdown,
                "the server closed the connection before the response ended: try again, or ask"
            ),
            (
                NIOSSLExtraError.failedToValidateHostname,
                "the server's certificate is for other hosts: use one of its names"
            ),
        ] {
            let text = TLSReason.text(error) ?? ""
            #expect(text.hasPrefix(expected), "\(text)")
            #expect(!text.contains("NIOSSL") && !text.contains("Error"), "\(text)")
            #expect(TLSReason.sentence(error) == "the TLS connection failed: \(text)")
        }
    }

    @Test("An error with another cause than TLS keeps its own text") func others() {
        #expect(TLSReason.text(ChannelError.eof) == nil)
        #expect(TLSReason.sentence(ChannelError.eof) == "\(ChannelError.eof)")
    }
}

import Testing

@testable import WireFormat

@Suite struct LibraryTextTests {
    @Test(
        "An error of BoringSSL becomes its code, and places in source files go",
        arguments: [
            (
                "no TLS handshake: handshakeFailed(NIOSSL.BoringSSLError.sslError([Error: 268435703 error:100000f7:SSL routines:"
                    + "OPENSSL_internal:WRONG_VERSION_NUMBER at /build/My Code/ssl/tls_record.cc:242]))",
                "no TLS handshake: WRONG_VERSION_NUMBER"
            ),
            (
                "x: sslError([Error: 1 error:1:SSL routines:OPENSSL_internal:FIRST at /a/b.cc:1, Error: 2 error:2:SSL routines:"
                    + "OPENSSL_internal:SECOND at /a/b.cc:2]), then y",
                "x: FIRST, then y"
            ),
            (
                "Error: 268435703 error:100000f7:SSL routines:OPENSSL_internal:HTTP_REQUEST at /build/x.cc:2",
                "HTTP_REQUEST"
            ),
            ("fatal at /build/Sources/Module/File.swift:12: it failed", "fatal: it failed"),
            // Texts of users stay.
            (
                "cannot write at /home/jdoe/list.txt: check the disk",
                "cannot write at /home/jdoe/list.txt: check the disk"
            ),
            ("a.example at /work: look at /etc/hosts", "a.example at /work: look at /etc/hosts"), ("", ""),
        ]
    )
    func withoutInternals(text: String, expected: String) {
        #expect(LibraryText.withoutInternals(text) == expected)
    }

    @Test("The first code of an error") func code() {
        #expect(
            LibraryText.code(in: "error:1:SSL routines:OPENSSL_internal:NO_SHARED_CIPHER at /a.cc:1")
                == "NO_SHARED_CIPHER"
        )
        #expect(LibraryText.code(in: "connection reset") == nil)
    }

    @Test("A sentence is one line of printable ASCII with a bound") func sentence() {
        struct Long: Error, CustomStringConvertible {
            let description = "é\n\u{7}" + String(repeating: "x", count: 1_000)
        }
        let sentence = LibraryText.sentence(Long())
        #expect(sentence.hasPrefix("   xxx") && sentence.utf8.count == 160)
    }
}

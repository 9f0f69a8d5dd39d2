/// Errors of libraries in words for users.
package enum LibraryText {
    /// What an error of another library says, in one line of bounded length.
    package static func sentence(_ error: any Error) -> String { line(withoutInternals("\(error)")) }

    /// A text of another library in one line of bounded length.
    package static func line(_ text: String) -> String {
        let text = text.unicodeScalars.map { $0.isASCII && $0.value >= 0x20 ? $0 : " " }
        return String(String.UnicodeScalarView(text.prefix(160)))
    }

    /// Replaces an error of BoringSSL by its code, and removes paths of source files. Both are of use to the authors of the library alone,
    /// and the paths are those of the machine that built the program.
    ///
    /// `handshakeFailed(NIOSSL.BoringSSLError.sslError([Error: 268435703 error:100000f7:SSL
    /// routines:OPENSSL_internal:WRONG_VERSION_NUMBER at /build/ssl/tls_record.cc:242]))` becomes `WRONG_VERSION_NUMBER`.
    package static func withoutInternals(_ text: String) -> String {
        // Nearly all texts have neither, and a search costs less than an expression.
        var text = text
        if text.contains("OPENSSL_internal:") {
            text.replace(/[\w.]*(?:\([\w.]+)*\(\[(?:Error: )?\d* ?error:[^\]]*?OPENSSL_internal:(\w+)[^\]]*\]\)*/) {
                "\($0.1)"
            }
            text.replace(/(?:Error: \d+ )?error:[0-9a-fA-F]+:[^:\n]*:OPENSSL_internal:(\w+)/) { "\($0.1)" }
        }
        if text.contains(" at /") { text.replace(/\ at \/[^\n]*?\.(?:swift|cc|cpp|c|h|m):\d+/, with: "") }
        return text
    }

    /// BoringSSL's word for the first error in a text, such as `WRONG_VERSION_NUMBER`.
    package static func code(in text: String) -> String? {
        text.firstMatch(of: /OPENSSL_internal:([A-Z0-9_]+)/).map { String($0.1) }
    }
}

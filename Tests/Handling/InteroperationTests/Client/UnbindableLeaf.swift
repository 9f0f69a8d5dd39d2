import WireFormat

/// Self-signed leaf certificates from whose signatures no `tls-server-end-point` binding is made, as OpenSSL wrote them.
enum UnbindableLeaf: String, CaseIterable, Sendable {
    /// Ed25519.
    case ed25519
    /// Ed448.
    case ed448
    /// ECDSA with SHA-224.
    case sha224
    /// ECDSA with SHA3-256.
    case sha3

    /// The certificate in DER.
    func certificate() throws -> [UInt8] { try Base64.decode(text) }

    private var text: String {
        switch self {
        case .ed25519:
            """
            MIIBTzCCAQGgAwIBAgIUEE8gAc/mr3YKLBnTDQxSXCAWXdUwBQYDK2VwMBwxGjAYBgNVBAMMEXdpa2kuYWNtZS5leGFtcGxl\
            MCAXDTI2MTEyMzAxMTMzMVoYDzIxMjYxMDMwMDExMzMxWjAcMRowGAYDVQQDDBF3aWtpLmFjbWUuZXhhbXBsZTAqMAUGAytl\
            cAMhANWssMbCP3BlzXoD3OJCpsrgozy4OAgswjm2nJ2UEKDuo1MwUTAdBgNVHQ4EFgQU9d5452dfeB3/UZEOVLkf1HXoYSsw\
            HwYDVR0jBBgwFoAU9d5452dfeB3/UZEOVLkf1HXoYSswDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXADQQAGhv19HoS7Ej64Z4ZQ\
            OCFKZ8v7u6cUNCpCJ0bWjn/UzNzHe5+841P7Jym5A+EPVVkJlQDVeHJ6epLK4i1mHyIJ
            """
        case .ed448:
            """
            MIIBmjCCARqgAwIBAgIUa+R7ucq8lVJi6R6sFf6+a6KT7DMwBQYDK2VxMBwxGjAYBgNVBAMMEXdpa2kuYWNtZS5leGFtcGxl\
            MCAXDTI2MTEyMzAxMTMzMVoYDzIxMjYxMDMwMDExMzMxWjAcMRowGAYDVQQDDBF3aWtpLmFjbWUuZXhhbXBsZTBDMAUGAytl\
            cQM6AHqac2Z11GrHWofMzlvQ6z+Tqtu/kiNfdD+fR84mfNFYXOapP2zjfIDdbV4Fs9l18hT1qz3Pno9MAKNTMFEwHQYDVR0O\
            BBYEFJ8GainzGtKMvIz8iPvZlAWV/VJLMB8GA1UdIwQYMBaAFJ8GainzGtKMvIz8iPvZlAWV/VJLMA8GA1UdEwEB/wQFMAMB\
            Af8wBQYDK2VxA3MAMqJbakXoxPa8gWx7jIJtSWZxMyyF11R0B186YAEOzOzgD6DiI/Dc6zFIg1sbc10DJfSZHvTUWQOAEzrj\
            KIf0ilRh3KtS6L2oqE9TOybwN6hJjkvkq3cLUxuJOFHvW/ZJsBWZPuTkI/SBkorBd55r1SYA
            """
        case .sha224:
            """
            MIIBjzCCATWgAwIBAgIUATAqbv/YJ35F03/CUgGkYunzj3IwCgYIKoZIzj0EAwEwHDEaMBgGA1UEAwwRd2lraS5hY21lLmV4\
            YW1wbGUwIBcNMjYxMTIzMDExMzMxWhgPMjEyNjEwMzAwMTEzMzFaMBwxGjAYBgNVBAMMEXdpa2kuYWNtZS5leGFtcGxlMFkw\
            EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAElI9w8VxYe8FqtLkfhK7lQP3BNB2+o9eXwMbAQmtv1CqRPV7h8C/R6/nwj9gopCGJ\
            hED9CauFIBhHJv2BQA4fFKNTMFEwHQYDVR0OBBYEFE8tE5kNoz26mHZZ3tqtzbPqOgctMB8GA1UdIwQYMBaAFE8tE5kNoz26\
            mHZZ3tqtzbPqOgctMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwEDSAAwRQIhANFMoBcsnTyMjjIuDDzIygkjAjO3tpiy\
            suR/+ibnK5wfAiAi0jXBgYV2LzYUJmWkb4mPKqmvXwpW1lgqNPrHqlctwg==
            """
        case .sha3:
            """
            MIIBkTCCATagAwIBAgIUakgygGSd+uQryv+ryQDDjiJBGfEwCwYJYIZIAWUDBAMKMBwxGjAYBgNVBAMMEXdpa2kuYWNtZS5l\
            eGFtcGxlMCAXDTI2MTEyMzAxMTMzMVoYDzIxMjYxMDMwMDExMzMxWjAcMRowGAYDVQQDDBF3aWtpLmFjbWUuZXhhbXBsZTBZ\
            MBMGByqGSM49AgEGCCqGSM49AwEHA0IABJCjqxjnklK7s3Pzg0sx6oYEnSYJ1nQx8XtcUE7cWPlTFzAFgAYH3077Obq4OXq1\
            mnDKHefINeqpsW1iPwipZzejUzBRMB0GA1UdDgQWBBT/Xlh/ZZwBJDSlHACptuE9MjKdxTAfBgNVHSMEGDAWgBT/Xlh/ZZwB\
            JDSlHACptuE9MjKdxTAPBgNVHRMBAf8EBTADAQH/MAsGCWCGSAFlAwQDCgNIADBFAiAcy6DCFldJnuBChCeWiINA6pmv0GzL\
            WUIkHBQMF9wshQIhAMdKih4ymB01wTxJ3kLTfH0AnUvo1Q5e8aywNWhoWfRf
            """
        }
    }
}

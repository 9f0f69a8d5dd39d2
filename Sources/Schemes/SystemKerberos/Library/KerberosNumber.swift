/// The error numbers of Kerberos 5: 128 numbers of the protocol (RFC 4120, 7.5.9), then those of the libraries, which MIT and
/// Heimdal share.
enum KerberosNumber {
    private static let base: Int32 = -1_765_328_384

    /// What a minor status means; `nil` if it is not in the table.
    static func reason(of minor: UInt32, _ operation: KerberosError.Operation) -> KerberosError.Reason? {
        switch Int32(bitPattern: minor) &- base {
        // The protocol.
        case 1, 18: .accountDisabled
        case 6: .unknownAccount
        case 7: operation == .acquireCredential ? .unknownRealm : .unknownService
        case 12: .refusedByPolicy
        case 14: .encryptionType
        case 23: .passwordExpired
        case 24: .wrongPassword
        // A KDC that asks for no proof answers a wrong password with a message that it cannot open.
        // A server without the service's key makes an answer that the client cannot open.
        case 31:
            switch operation {
            case .acquireCredential: .wrongPassword
            case .initiate: .notMutual
            default: .wrongKey
            }
        case 32: .ticketExpired
        case 33, 37: .clockSkew
        case 34: .replayed
        case 35, 36, 41, 44, 45: .wrongKey
        case 39, 40: .malformedToken
        case 46: .notMutual
        case 60: .refusedByPeer
        case 68: .unknownRealm
        // The libraries: no credential in the cache, no file of it, no end of it.
        case 141, 142, 195: .noTicket
        case 135, 136: .configuration
        case 139, 140, 193, 194, 199, 212: .cache
        case 144: .wrongKey
        case 148: .clockSkew
        case 150, 237: .encryptionType
        case 154, 224: .unknownRealm
        case 156, 220: .kdcUnreachable
        case 179, 180, 181, 182, 184, 229, 230, 235: .keytab
        default: nil
        }
    }
}

/// Why a SOCKS proxy opens no connection.
enum SOCKSError: Error, Equatable {
    /// RFC 1928 section 6.
    enum Reply: UInt8 {
        case failure = 1
        case notAllowed = 2
        case networkUnreachable = 3
        case hostUnreachable = 4
        case refused = 5
        case expired = 6
        case noCommand = 7
        case noAddressType = 8
        case other = 255
    }

    /// The bytes are of another protocol.
    case notSOCKS
    /// The proxy accepts neither a connection without a password nor a user name with one.
    case noMethod
    /// It closed the connection in the middle.
    case closed
    case stalled
    /// The password or the user name is empty or longer than the protocol allows.
    case unsendable
    /// The account of the profile has another user than the parent's URL.
    case otherUser(account: String)
    /// The account proves itself with something else than a password.
    case noPassword
    /// The password would go in clear text, which nothing allows.
    case cleartext
    /// The proxy refused the password.
    case badLogOn
    /// The proxy took the log-on, and does not connect to the server.
    case refused(Reply)

    /// Whether the account is the reason.
    var isAboutAccount: Bool {
        switch self {
        case .unsendable, .otherUser, .noPassword, .cleartext, .badLogOn: true
        default: false
        }
    }

    /// Whether another proxy may be tried: this one has seen no password, and said nothing about the server.
    var isOfProxy: Bool {
        switch self {
        case .notSOCKS, .noMethod, .closed, .stalled: true
        default: false
        }
    }
}

extension SOCKSError: CustomStringConvertible {
    /// The problem and the remedy.
    var description: String {
        switch self {
        case .notSOCKS: "it does not speak SOCKS version 5: check that the port is a SOCKS proxy"
        case .noMethod: "it wants another log-on than a user name and a password: ask who runs it"
        case .closed: "it closed the connection in the middle of the handshake: check that the port is a SOCKS proxy"
        case .stalled: "it did not end the handshake in time: check that the port is a SOCKS proxy"
        case .unsendable:
            "the user name or the password is empty or has more than \(SOCKSLimits.nameBytes) bytes, which SOCKS cannot send: correct the account"
        case .otherUser(let account):
            "the account '\(account)' has another user than the parent's URL: correct one of them"
        case .noPassword: "the account has no password, which SOCKS needs: give it one"
        case .cleartext:
            "it reads a password in clear text, as everyone on the path does: allow that with --basic, or in a profile with 'cleartext: true'"
        case .badLogOn: "it refused the password: keep the right one with 'sallyport credentials add'"
        case .refused(let reply): "it does not connect to the server: \(reply.text)"
        }
    }
}

extension SOCKSError.Reply {
    fileprivate var text: String {
        switch self {
        case .notAllowed: "its rules do not allow it: ask who runs it"
        case .networkUnreachable: "the network cannot be reached"
        case .hostUnreachable: "the host cannot be reached: check the name"
        case .refused: "the server refuses connections: check the port"
        case .expired: "the time to live ended"
        case .noCommand: "it knows no CONNECT: use another proxy"
        case .noAddressType: "it does not know this kind of address"
        case .failure, .other: "it gives no reason: check the name, and ask who runs it"
        }
    }
}

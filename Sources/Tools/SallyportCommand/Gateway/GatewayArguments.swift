internal import ArgumentParser
internal import ClientAuthentication
internal import SallyportGateway

/// The argument of `--for` and `--print-config`.
struct FrontArgument: ExpressibleByArgument, Equatable {
    let proxy: FrontProxy

    init?(argument: String) {
        guard let proxy = FrontProxy(rawValue: argument) else { return nil }
        self.proxy = proxy
    }

    static var allValueStrings: [String] { FrontProxy.allCases.map(\.rawValue) }
}

extension ClientScheme {
    /// How the scheme is written at the command line.
    var argument: String {
        switch self {
        case .negotiate: "negotiate"
        case .ntlm: "ntlm"
        case .digestSHA256: "digest-sha256"
        case .digestMD5: "digest-md5"
        case .basic: "basic"
        }
    }
}

/// The argument of `--offer`.
struct OfferArgument: ExpressibleByArgument, Equatable {
    let schemes: [ClientScheme]

    /// Reads `negotiate,basic`; `nil` for a doubled or unknown scheme.
    init?(argument: String) {
        var schemes: [ClientScheme] = []
        for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let scheme = ClientScheme.allCases.first(where: { $0.argument == name }), !schemes.contains(scheme)
            else { return nil }
            schemes.append(scheme)
        }
        self.schemes = schemes
    }
}

/// The argument of `--socket-mode`.
struct SocketModeArgument: ExpressibleByArgument, Equatable, CustomStringConvertible {
    static let standard = SocketModeArgument(mode: 0o660)

    let mode: UInt16

    private init(mode: UInt16) { self.mode = mode }

    /// Reads three octal digits, such as `660`, which let the owner read and write.
    init?(argument: String) {
        guard argument.utf8.count == 3, let mode = UInt16(argument, radix: 8), mode & 0o600 == 0o600 else { return nil }
        self.init(mode: mode)
    }

    var description: String { String(mode, radix: 8) }
}

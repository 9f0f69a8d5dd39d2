internal import ArgumentParser
internal import ClientAuthentication
internal import ClientDirectories
internal import Credentials
internal import Foundation
internal import HTTPAuthentication
internal import NTLM
internal import SallyportNIO
internal import SallyportRelay
internal import ServiceSockets

/// Who may use the relay, and with whose accounts.
struct ClientOptions: ParsableArguments {
    @OptionGroup var source: ClientSourceOptions

    @Option(
        name: .customLong("channel-binding"),
        help: ArgumentHelp(
            "What becomes of the channel bindings that clients send with NTLM and Kerberos to addresses with https://. accepted: a binding to another certificate is refused, and a client without a binding is let in; required: such a client is refused, too; off: bindings are not compared, for a relay behind another end of TLS.",
            valueName: "demand"
        )
    )
    var channelBinding = BindingArgument.accepted

    @Option(
        help: ArgumentHelp(
            "Use accounts of the profile, named with commas between them, for some clients only: client:NAME for one of --client-accounts, --client-directory or --client-keytab, uid:NUMBER for programs of a user of this machine, listener:ADDRESS:PORT for an address. Several times.",
            valueName: "accounts=client"
        )
    )
    var identity: [String] = []

    /// How clients log on, and the file with their accounts if there is one. Blocks the calling thread.
    func accounts() throws(ClientSourceProblem) -> (ClientAccounts, AccountsFile?)? {
        guard let source = try source.open() else { return nil }
        let options = source.options(.proxy, realm: "sallyport relay", offers: source.schemes)
        return (ClientAccounts(options, directory: source.directory), source.file)
    }

    /// The arguments of `--identity`.
    func rules() throws(RelayProblem) -> [IdentityRule] {
        var rules: [IdentityRule] = []
        for text in identity { rules.append(try IdentityRule(parsing: text)) }
        return rules
    }
}

/// Accounts of the profile, and the client that uses them.
struct IdentityRule {
    let accounts: [String]
    let client: RelayIdentity.Client

    /// Reads `jdoe,jdoe-wiki=uid:1000`.
    init(parsing text: String) throws(RelayProblem) {
        let problem = RelayProblem.identity(
            "\(text.debugDescription): write ACCOUNT=client:NAME, ACCOUNT=uid:NUMBER or ACCOUNT=listener:ADDRESS:PORT"
        )
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard sides.count == 2 else { throw problem }
        accounts = sides[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard accounts.allSatisfy({ !$0.isEmpty }) else { throw problem }
        let parts = sides[1].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[1].isEmpty else { throw problem }
        switch parts[0] {
        case "client": client = .account(ClientName(parts[1]))
        case "uid":
            guard let number = UInt32(parts[1]) else { throw problem }
            client = .owner(number)
        case "listener":
            do { client = .listener(try ListenAddress(parsing: parts[1])) } catch { throw .identity("\(error)") }
        default: throw problem
        }
    }
}

/// The arguments of `--channel-binding`.
enum BindingArgument: String, ExpressibleByArgument, CaseIterable {
    case off
    case accepted
    case required

    var demand: ChannelBindingDemand {
        switch self {
        case .off: .off
        case .accepted: .accepted
        case .required: .required
        }
    }
}

internal import ArgumentParser
internal import HTTPTypes
internal import SallyportRelay
internal import ServiceSockets

/// What a relay carries besides the requests of its HTTP clients, how it changes these, and where they go without parents.
struct ForwardingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Carry all connections to an address of this machine to one server through the corporate proxy, such as 5432=db.corp.example:5432 for programs that know no proxy. PORT alone is one of 127.0.0.1; other addresses follow the rules of --listen. Several times for several servers.",
            valueName: "[address:]port=host:port"
        )
    )
    var tunnel: [String] = []

    @Option(
        help: ArgumentHelp(
            "Take SOCKS 5 here, for programs that know no HTTP proxy: CONNECT alone. PORT alone is one of 127.0.0.1; other addresses follow the rules of --listen. Clients log on with user and password if --client-accounts or --client-directory is given. Several times for several addresses.",
            valueName: "[address:]port"
        )
    )
    var socks: [String] = []

    @Flag(
        name: .customLong("direct-fallback"),
        help: ArgumentHelp(
            "Send requests directly while no parent can be reached, such as at home. A parent that answers with a refusal, or whose certificate is bad, is not passed by."
        )
    )
    var directFallback = false

    @Option(
        name: .customLong("add-header"),
        help: ArgumentHelp(
            "Add a field to requests for servers, as 'Name: value', or as @FILE with one such line for a value that other processes must not see. With --remove-header of the same name it replaces the client's field. Not inside tunnels of https. Several times for several fields.",
            valueName: "field"
        )
    )
    var addHeader: [String] = []

    @Option(
        name: .customLong("remove-header"),
        help: ArgumentHelp(
            "Leave a field of clients out of requests for servers. Several times for several fields.",
            valueName: "name"
        )
    )
    var removeHeader: [String] = []

    /// Blocks the calling thread.
    func apply(to settings: inout RelaySettings) throws(RelayProblem) {
        for text in tunnel {
            do throws(RelayTunnelError) { settings.tunnels.append(try RelayTunnel(parsing: text)) } catch {
                throw .forwarding(option: "--tunnel", "\(error)")
            }
        }
        for text in socks {
            do throws(ListenAddressError) {
                settings.socksListeners.append(try ListenAddress(abbreviated: text))
            } catch {
                throw .forwarding(option: "--socks", "\(error)")
            }
        }
        settings.fallsBackToDirect = directFallback
        settings.fieldChanges = try fieldChanges()
    }

    private func fieldChanges() throws(RelayProblem) -> FieldChanges {
        var added: [HTTPField] = []
        for (index, line) in addHeader.enumerated() {
            let option = "--add-header, number \(index + 1)"
            let field = try Self.field(line, option)
            do throws(FieldChangesError) { _ = try FieldChanges(adding: [field]) } catch {
                throw .forwarding(option: option, "\(error)")
            }
            added.append(field)
        }
        var removed: [HTTPField.Name] = []
        for text in removeHeader {
            guard let name = HTTPField.Name(text) else {
                throw .forwarding(
                    option: "--remove-header",
                    "\(text.debugDescription): this is not the name of a field: write it alone, without ':'"
                )
            }
            removed.append(name)
        }
        do throws(FieldChangesError) { return try FieldChanges(adding: added, removing: removed) } catch {
            throw .forwarding(option: "--remove-header", "\(error)")
        }
    }

    /// Reads an argument as `--header` of `sallyport get` is read.
    private static func field(_ line: String, _ option: String) throws(RelayProblem) -> HTTPField {
        do throws(RequestProblem) {
            for (name, value) in try HeaderArguments.headers([line]).sent {
                if let name = HTTPField.Name(name) { return HTTPField(name: name, value: value) }
            }
        } catch {
            throw .forwarding(option: option, problem(error))
        }
        throw .forwarding(option: option, "the value is missing: write 'Name: value', or give --remove-header NAME")
    }

    /// The problem and the remedy, as they are for a relay.
    private static func problem(_ error: RequestProblem) -> String {
        guard case .header(_, let problem) = error else { return "\(error)" }
        return switch problem {
        case .secret(let name) where !HeaderArguments.answers.contains(name):
            "\(name) holds a secret, and other processes can read arguments: put the line into a file of yours, and give --add-header @FILE"
        case .secret(let name), .answer(let name): "\(FieldChangesError.answer(name))"
        case .framing(let name): "\(FieldChangesError.ofConnection(name))"
        case .noColon, .name, .value, .file: "\(problem)"
        }
    }
}

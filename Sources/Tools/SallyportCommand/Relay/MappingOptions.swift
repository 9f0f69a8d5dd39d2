internal import ArgumentParser
internal import Hostnames
internal import SallyportRelay

/// The servers for which addresses of the relay stand, and the certificates on both sides.
struct MappingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Stand for a server at an address of this machine, such as 127.0.0.1:8443=https://wiki.corp.example: programs use http://127.0.0.1:8443, and the relay speaks TLS and authenticates. Several times for several servers.",
            valueName: "address:port=url"
        )
    )
    var map: [String] = []

    @Option(
        name: .customLong("map-name"),
        help: ArgumentHelp(
            "A name by which clients may call the addresses of --map, beside the address, localhost and the server's own name.",
            valueName: "host"
        )
    )
    var mapName: [String] = []

    @Option(
        name: .customLong("listen-certificate"),
        help: ArgumentHelp(
            "The certificate, in PEM, for addresses of --listen and --map with https:// before them.",
            valueName: "file"
        )
    )
    var listenCertificate: String?

    @Option(
        name: .customLong("listen-key"),
        help: ArgumentHelp("The private key of --listen-certificate, in PEM.", valueName: "file")
    )
    var listenKey: String?

    func validate() throws {
        guard (listenCertificate == nil) == (listenKey == nil) else {
            throw ValidationError("A certificate has a key: give --listen-certificate and --listen-key together.")
        }
    }

    func mappings() throws(RelayProblem) -> [RelayMapping] {
        var names: [Hostname] = []
        for name in mapName {
            do { names.append(try Hostname(parsing: name)) } catch {
                throw .mapping(option: "--map-name", "\(name.debugDescription): \(error)")
            }
        }
        var mappings: [RelayMapping] = []
        for text in map {
            do throws(RelayMappingError) {
                var mapping = try RelayMapping(parsing: text)
                mapping.names = names
                mappings.append(mapping)
            } catch {
                throw .mapping(option: "--map", "\(error)")
            }
        }
        return mappings
    }

    /// Blocks the calling thread.
    func certificate() throws(ListenerCertificateError) -> ListenerCertificate? {
        guard let listenCertificate, let listenKey else { return nil }
        return try ListenerCertificate(chain: listenCertificate, key: listenKey)
    }
}

internal import ArgumentParser
internal import PeerComparison
internal import SystemKerberos

/// Log-ons with the system's Kerberos, in the realm that the environment names: prints the lines of a measurement file that
/// `Benchmarks/Peers/Kerberos/compare` puts beside the lines of a C program.
struct CompareKerberos: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "kerberos", abstract: "Measures Kerberos log-ons.")

    @Flag(help: "Fewer rounds.")
    var quick = false

    func run() throws {
        let library = try KerberosLibrary.load()
        let client = try KerberosCredential(.defaultCache(), library: library)
        let server = try KerberosCredential(acceptingWith: nil, library: library)
        let service = try KerberosService(host: "localhost", library: library)
        let writer = MeasurementFileWriter(isQuick: quick)
        writer.measure("Kerberos: first token", per: 1) {
            succeed { () throws(KerberosError) in
                var initiator = try KerberosInitiator(credential: client, service: service)
                return try initiator.step([UInt8]().span).token.count
            }
        }
        writer.measure("Kerberos: both sides", per: 1) {
            succeed { () throws(KerberosError) in
                var initiator = try KerberosInitiator(credential: client, service: service)
                var acceptor = try KerberosAcceptor(credential: server)
                let request = try initiator.step([UInt8]().span)
                let answer = try acceptor.step(request.token.span)
                let end = try initiator.step(answer.token.span)
                precondition(end.isComplete && acceptor.client != nil)
                return answer.token.count
            }
        }
    }

    private func succeed(_ body: () throws(KerberosError) -> Int) -> UInt64 {
        do throws(KerberosError) { return UInt64(try body()) } catch { fatalError("\(error)") }
    }
}

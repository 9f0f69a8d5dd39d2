import Sallyport
import SallyportClient
import SallyportNIO

enum PinReportsSnippet {
    /// The third one of GuideToPins.md.
    static func client(_ url: ServiceURL, _ current: CurrentHandler) throws -> (AuthenticatedClient, PinReporter) {
        var settings = TLSSettings()
        let reporter = try PinReporter(to: url, tls: TLSConnector(settings, current))
        settings.onPinFailure = { reporter.add($0) }
        let client = AuthenticatedClient(current, tls: try TLSConnector(settings, current))
        return (client, reporter)
    }
}

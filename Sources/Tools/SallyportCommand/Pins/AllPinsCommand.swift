internal import ArgumentParser
internal import OfflineVerbs

/// `sallyport pins` with the audit, which needs large integers, and signed updates, which need signatures and a client.
struct AllPinsCommand: ParsableCommand {
    static let configuration = OfflineVerbs.pins(and: [
        PinsAuditCommand.self, PinsSignCommand.self, PinsUpdateCommand.self,
    ])
}

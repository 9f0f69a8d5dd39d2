internal import ArgumentParser
internal import OfflineVerbs

/// `sallyport pins` with the audit, which needs large integers.
struct AllPinsCommand: ParsableCommand {
    static let configuration = OfflineVerbs.pins(and: [PinsAuditCommand.self])
}

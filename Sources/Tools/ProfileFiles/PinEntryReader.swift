internal import SPKIPins
internal import WireFormat

/// Reads one element of a profile's `pins`.
enum PinEntryReader {
    static func entry(_ node: ProfileNode) throws(ProfileFileError) -> PinPolicy.Entry {
        let known = ["host", "pins", "backups", "withoutBackup", "expires", "enforce"]
        let fields = try node.mapping(known: known)
        return PinPolicy.Entry(
            host: try fields.required("host", in: node).text(),
            pins: try pins(try fields.required("pins", in: node)),
            backup: try backup(fields, in: node),
            expiry: try expiry(fields["expires"]),
            mode: try fields["enforce"]?.boolean() ?? true ? .enforce : .reportOnly
        )
    }

    private static func backup(
        _ fields: [String: ProfileNode],
        in parent: ProfileNode
    ) throws(ProfileFileError) -> PinPolicy.Backup {
        switch (fields["backups"], fields["withoutBackup"]) {
        case (let node?, nil): .pins(try pins(node))
        case (nil, let reason?): .unsafeSinglePin(reason: try reason.text())
        default: throw parent.error("expected either 'backups' or 'withoutBackup' with the reason")
        }
    }

    private static func pins(_ node: ProfileNode) throws(ProfileFileError) -> [PositionedPin] {
        var pins: [PositionedPin] = []
        for element in try node.sequence() { pins.append(try pin(element)) }
        return pins
    }

    private static func pin(_ node: ProfileNode) throws(ProfileFileError) -> PositionedPin {
        let fields = try node.mapping(known: ["sha256", "position"])
        let pin = try fields.required("sha256", in: node).pin()
        return PositionedPin(pin, at: try position(fields["position"]))
    }

    private static func position(_ node: ProfileNode?) throws(ProfileFileError) -> PinPosition {
        guard let node else { return .any }
        switch try node.text() {
        case "leaf": return .leaf
        case "issuer": return .issuer
        case "anchor": return .anchor
        case "any": return .any
        default: throw node.error("expected leaf, issuer, anchor or any")
        }
    }

    private static func expiry(_ node: ProfileNode?) throws(ProfileFileError) -> Int64? { try node?.seconds() }
}

extension ProfileNode {
    /// The hash of a key.
    func pin() throws(ProfileFileError) -> Pin {
        let text = try text()
        do throws(PinError) {
            return try Pin(parsing: text)
        } catch {
            throw self.error("\(error)")
        }
    }

    /// A time, as Unix seconds.
    func seconds() throws(ProfileFileError) -> Int64 {
        let text = try text()
        do throws(TimestampError) {
            return try Timestamp(parsing: text).seconds
        } catch {
            throw self.error("\(error)")
        }
    }
}

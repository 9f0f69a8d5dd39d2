internal import WireFormat

extension PinPolicy {
    /// The entries, as far as the compiled form still knows them.
    ///
    /// Pins come sorted. Which pins are backups is known where the entry said it; a single pin's reason is not kept.
    ///
    /// - Complexity: O(*n*) in the pins.
    package var entries: [Entry] {
        (0..<entryCount).map { index in
            let members = compiled.set(ofEntry: index).members
            let mode = compiled.storage.withSpan { compiled.entry(index, in: $0).mode }
            func pins(_ role: PinRole) -> [PositionedPin] {
                members.filter { $0.role == role }.map { PositionedPin($0.pin, at: $0.position) }
            }
            let (primary, backups) = (pins(.primary), pins(.backup))
            let backup: Backup =
                if !backups.isEmpty {
                    .pins(backups)
                } else if primary.count > 1 {
                    .amongPins
                } else {
                    .unsafeSinglePin(reason: "not kept in a compiled policy")
                }
            return Entry(
                host: pattern(ofEntry: index),
                pins: primary,
                backup: backup,
                expiry: expiry(ofEntry: index),
                mode: mode,
                forbidden: pins(.forbidden).map(\.pin)
            )
        }
    }
}

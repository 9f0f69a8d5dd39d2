import Sallyport

/// The snippet of PinUpdates.md.
enum PinUpdatesSnippet {
    static func update(
        _ policy: PinPolicy,
        privateKey: [UInt8],
        publicKey: [UInt8],
        nextPublicKey: [UInt8],
        above highestVersionEver: UInt64,
        _ profile: SecurityProfile,
        now: Int64
    ) throws -> CompiledProfile {
        let update = try PinUpdate.sign(policy, with: privateKey)  // where policies are made

        let newer = try PinUpdate.open(update, trusting: [publicKey, nextPublicKey], above: highestVersionEver)
        let compiled = try CompiledProfile(profile, at: now, pins: newer)  // of Sallyport, where they are used
        return compiled
    }

    static func install(_ update: [UInt8], _ publicKey: [UInt8], at path: String) throws -> PinUpdate.Installation {
        let result = try PinUpdate.install(update, trusting: [publicKey], at: path)  // .installed, or .current
        return result
    }
}

// What a send adds to its request.
extension RequestAuthentication {
    var hasFieldForOrigin: Bool { !isProxyOnly && origin.hasField }

    var hasFieldForProxy: Bool {
        switch proxy {
        case .some(let proxy): return proxy.hasField
        case nil: return false
        }
    }

    /// What the next send adds.
    mutating func takeFields() -> AddedFields? {
        let (isForOrigin, isForProxy) = (hasFieldForOrigin, hasFieldForProxy)
        // Before the field is taken. Each send has a proof of its own.
        let proof = isForOrigin ? origin.proof : nil
        if case (nil, nil) = (proof, placed) {
            guard isForOrigin || isForProxy else { return nil }
            if !isForProxy, let repeated = origin.takeRepeated() { return repeated }
            if !isForOrigin, let repeated = proxy?.takeRepeated() { return repeated }
        }
        return AddedFields(
            authorization: isForOrigin ? origin.takeField() : nil,
            proof: proof,
            proxyAuthorization: proxy?.takeField(),
            placed: placed
        )
    }

    var proxyCompanion: PasswordBudget.Companion? {
        switch proxy {
        case .some(let proxy): return proxy.companion
        case nil: return nil
        }
    }
}

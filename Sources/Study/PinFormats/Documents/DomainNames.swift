internal import SPKIPins

/// Names the domain of each entry that a form writes. No form here can name a domain twice, with its subdomains and without.
struct DomainNames {
    private let takesIPv4: Bool
    private var names: Set<String> = []

    /// - Parameter takesIPv4: whether the form can name a host that is an IPv4 address.
    init(takesIPv4: Bool = false) { self.takesIPv4 = takesIPv4 }

    /// The domain of an entry. Where the form has no name for it, or has written it already: `nil`, and a loss is appended.
    mutating func next(_ entry: PinPolicy.Entry, _ losses: inout [PinLoss]) -> (name: String, includesSubdomains: Bool)?
    {
        do throws(PinLoss) {
            let found = try domain(of: entry.host, takesIPv4: takesIPv4)
            guard names.insert(found.name).inserted else { throw PinLoss(.secondEntry, entry.host) }
            return found
        } catch {
            losses.append(error)
            return nil
        }
    }

    /// The entry is not written after all, so another one may have its domain.
    mutating func release(_ name: String) { names.remove(name) }
}

/// A host that receives passwords, as origin or as proxy.
///
/// The realm is not part of it, because the server chooses the realm: with a new one in each response it could get the
/// same wrong password many times, or in a weaker scheme.
struct Place: Equatable, Sendable {
    let host: String
    let isProxy: Bool
    /// A hash of the user name as it is sent, or 0. A host may refuse `jdoe` and accept `jdoe@acme.example`.
    private var userForm = 0
    /// Computed once for each request. `Hasher` uses a random seed for each process, so an attacker cannot choose
    /// hosts with equal hashes.
    private(set) var hash: Int

    init(host: String, isProxy: Bool) {
        self.host = host
        self.isProxy = isProxy
        var hasher = Hasher()
        hasher.combine(host)
        hasher.combine(isProxy)
        hash = hasher.finalize()
    }

    /// The same host for a user name whose hash is `userForm`.
    func receiving(userForm: Int) -> Place {
        var place = self
        place.userForm = userForm
        place.hash ^= userForm
        return place
    }

    static func == (left: Place, right: Place) -> Bool {
        left.hash == right.hash && left.userForm == right.userForm && left.isProxy == right.isProxy
            && left.host == right.host
    }
}

/// A place that has rules: a name, the names below one, or a network.
struct TrieNode {
    /// Its number; see ``TrieImage``.
    let number: Int
    /// Whether it has a list of rules; if not, its only rule is about https, port 443 and every path.
    let hasList: Bool
    /// The bytes of the name, or the bits of the network.
    let length: Int
    /// Whether it stands for the names below its name.
    let isBelow: Bool
}

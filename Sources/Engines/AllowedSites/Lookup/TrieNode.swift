/// A node of the trie that has rules: a name, the names below a name, or a network.
struct TrieNode {
    /// Its number in the image; see ``TrieImage``.
    let number: Int
    /// Whether it has a rule list. If not, its only rule is https, port 443 and every path.
    let hasList: Bool
    /// The length of the name in bytes, or of the network in bits.
    let length: Int
    /// Whether the node is for the names below its name.
    let isBelow: Bool
}

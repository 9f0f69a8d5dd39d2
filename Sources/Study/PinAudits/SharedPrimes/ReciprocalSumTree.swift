internal import BigInt

/// For moduli n₁ … n_k: the sum of all P/nⱼ, reduced modulo each nᵢ, where P is the product of all.
///
/// Modulo nᵢ every summand but P/nᵢ vanishes, so what is left shares with nᵢ exactly the primes that nᵢ shares with others.
///
/// ```
/// up     product(node) = product(left) · product(right)
///        sum(node)     = sum(left) · product(right) + sum(right) · product(left)
/// top    x = sum / product, a fraction below 1: the sum of all 1/nⱼ           one division, by Newton
/// down   x(left) = x(node) · product(right), without its integer part         and the other way round
/// leaf   nᵢ · x = the sum modulo nᵢ, an integer but for what truncation lost
/// ```
///
/// This is Bernstein's scaled remainder tree ("Scaled remainder trees", 2004) over the sum in place of the product, which
/// avoids the squares of the moduli. Going down, the words of x that no leaf below needs are dropped, and one guard word
/// is kept; since the integer part is not wanted, a cyclic product of the length of x is enough.
struct ReciprocalSumTree {
    private typealias Words = LargeProduct.Words

    private struct Node {
        /// Which moduli are below.
        let moduli: Range<Int>
        /// As many words as all moduli below have together.
        let product: Words
        /// Indices of the children; `nil` for one modulus.
        let children: (left: Int, right: Int)?
    }

    private let moduli: [BigUInt]
    private var nodes: [Node] = []
    private var arithmetic = LargeProduct()
    private let progress: (Int) -> Void
    private var modulusSteps = 0

    /// How many times `progress` counts each modulus, going up and going down.
    static let passes = 2

    /// - Parameters:
    ///   - moduli: each at least `smallestModulus`, none twice.
    ///   - progress: told how many moduli have been passed; `passes` times each in all.
    init(moduli: [BigUInt], progress: @escaping (Int) -> Void) {
        self.moduli = moduli
        self.progress = progress
    }

    /// What a modulus needs for the sum of all reciprocals to stay below 1, for any number of moduli.
    static let smallestModulus = BigUInt(1) << 128

    /// The sum modulo each modulus, in order.
    mutating func residues() -> [BigUInt] {
        guard moduli.count > 1 else { return moduli.map { _ in 1 } }
        let (root, sum) = build(moduli.indices)
        let product = BigUInt(words: nodes[root].product)
        let size = nodes[root].product.count
        let top = arithmetic.fraction(BigUInt(words: sum), over: product, words: size + 1)
        var residues = [BigUInt](repeating: 0, count: moduli.count)
        descend(root, top, into: &residues)
        return residues
    }

    private mutating func build(_ range: Range<Int>) -> (node: Int, sum: Words) {
        if range.count == 1 {
            let words = Words(moduli[range.lowerBound].words)
            nodes.append(Node(moduli: range, product: words, children: nil))
            advance()
            return (nodes.count - 1, [1])
        }
        let middle = range.lowerBound + range.count / 2
        let left = build(range.lowerBound..<middle)
        let right = build(middle..<range.upperBound)
        let length = nodes[left.node].product.count + nodes[right.node].product.count
        let leftProduct = arithmetic.image(of: nodes[left.node].product, length: length)
        let rightProduct = arithmetic.image(of: nodes[right.node].product, length: length)
        let product = arithmetic.words(0..<length, of: leftProduct * rightProduct, length: length)
        let leftSum = arithmetic.image(of: left.sum, length: length)
        let rightSum = arithmetic.image(of: right.sum, length: length)
        let sum = arithmetic.words(
            0..<length,
            of: leftSum * rightProduct + rightSum * leftProduct,
            length: length
        )
        nodes.append(Node(moduli: range, product: product, children: (left.node, right.node)))
        return (nodes.count - 1, sum)
    }

    private mutating func descend(_ index: Int, _ fraction: Words, into residues: inout [BigUInt]) {
        let node = nodes[index]
        guard let children = node.children else {
            residues[node.moduli.lowerBound] = residue(of: moduli[node.moduli.lowerBound], fraction)
            return advance()
        }
        let length = fraction.count
        let image = arithmetic.image(of: fraction, length: length)
        for (child, sibling) in [(children.left, children.right), (children.right, children.left)] {
            let other = nodes[sibling].product
            let product = image * arithmetic.image(of: other, length: length)
            // Of the fraction's words, the last ones are worth nothing after a product with so many words.
            let words = arithmetic.words(other.count..<length, of: product, length: length)
            descend(child, words, into: &residues)
        }
    }

    private func residue(of modulus: BigUInt, _ fraction: Words) -> BigUInt {
        let bits = 64 * fraction.count
        let product = modulus * BigUInt(words: fraction) + (BigUInt(1) << (bits - 1))
        let rounded = product >> bits
        return rounded == modulus ? 0 : rounded
    }

    private mutating func advance() {
        modulusSteps += 1
        progress(modulusSteps)
    }
}

/// Compares two byte sequences in a time that depends only on their lengths.
///
/// Use it for values that an attacker can probe: message integrity codes, responses, signatures. Lengths are not
/// secret.
///
/// - Complexity: O(*n*); no allocation, no early exit.
public func constantTimeEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
}

internal import CDigestLanes

/// Blocks of HMAC-MD5 (RFC 2104 section 2) that hold 16 bytes of their lane and are the same for all lanes behind them.
enum HMACBlock {
    /// A key with the inner padding.
    case innerKey
    /// A key with the outer padding.
    case outerKey
    /// A digest behind one block of key, and the end of the message.
    case digest

    var code: sallyport_hmac_block {
        switch self {
        case .innerKey: SALLYPORT_HMAC_INNER_KEY
        case .outerKey: SALLYPORT_HMAC_OUTER_KEY
        case .digest: SALLYPORT_HMAC_DIGEST
        }
    }
}

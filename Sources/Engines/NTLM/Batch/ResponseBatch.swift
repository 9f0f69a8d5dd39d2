/// Many handshakes at once: their digests are computed side by side, up to 64 in a processor's wide registers.
///
/// Worth its while from about eight handshakes on, on both sides: an agent that answers for many connections, a server in
/// a storm of log-ins. Every result is the one that the handshake by itself would have given, in the order of the input;
/// one that fails disturbs no other.
public enum ResponseBatch {}

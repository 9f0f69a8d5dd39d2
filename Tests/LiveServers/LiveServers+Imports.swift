// A suite that meets servers runs in its turn, and waits for what they do.
@_exported public import TestLimits

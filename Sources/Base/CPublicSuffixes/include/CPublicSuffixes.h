/// The rules of the public suffix list, compiled into the program, so that no file is opened at run time.
///
/// `Data/Sites/PublicSuffixes/make-table` generates the array in rules.c. The list's licence is MPL-2.0.

#ifndef SALLYPORT_CPUBLICSUFFIXES_H
#define SALLYPORT_CPUBLICSUFFIXES_H

#include <stddef.h>
#include <stdint.h>

/// The rules in ASCII, names as A-labels, sorted, with one line feed between two rules. The bytes live as long as the
/// program.
const uint8_t *_Nonnull sallyport_public_suffix_rules(void);

/// How many bytes the rules have.
size_t sallyport_public_suffix_rules_length(void);

/// When the list was published, as its line VERSION says: `2026-10-22_08-36-41_UTC`, with a NUL at its end.
const char *_Nonnull sallyport_public_suffix_version(void);

#endif

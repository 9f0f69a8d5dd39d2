/// The part of libFuzzer that starts it ("Using libFuzzer as a library"); the sanitizer's runtime brings it along.
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one_input)(const uint8_t *data, size_t size));

#include "CSecretService.h"

#include <stdlib.h>
#include <string.h>

// Constants of GIO and libsecret.
enum {
    session_bus = 2,
    open_session = 1 << 1,
    search_all = 1 << 1,
    search_unlock = 1 << 2,
    search_load_secrets = 1 << 3,
    replace_item = 1 << 1,
};

typedef const struct sallyport_secret *library;
typedef enum sallyport_secret_outcome outcome;

// Frees the error, and copies its text for the caller.
static outcome failure(library table, struct sallyport_secret_error *error, char **reason) {
    if (error->message != NULL) *reason = strdup(error->message);
    table->free_error(error);
    return sallyport_secret_failed;
}

// The texts are not copied, because they outlive the table.
static sallyport_secret_attributes attributes_of(
    library table, const struct sallyport_secret_pair *pairs, size_t pair_count) {
    sallyport_secret_attributes attributes = table->make_attributes(table->hash_text, table->equal_texts);
    for (size_t i = 0; i < pair_count; i++) table->insert_attribute(attributes, pairs[i].name, pairs[i].value);
    return attributes;
}

static void release_list(library table, struct sallyport_secret_list *list) {
    for (struct sallyport_secret_list *node = list; node != NULL; node = node->next) table->release_object(node->data);
    table->free_list(list);
}

static outcome unlock(
    library table, const struct sallyport_secret_keyring *keyring, sallyport_secret_object cancel, char **reason) {
    struct sallyport_secret_error *error = NULL;
    struct sallyport_secret_list wanted = {keyring->collection, NULL, NULL};
    struct sallyport_secret_list *unlocked = NULL;
    int count = table->unlock(keyring->service, &wanted, cancel, &unlocked, &error);
    release_list(table, unlocked);
    if (error != NULL) return failure(table, error, reason);
    return count == 1 ? sallyport_secret_done : sallyport_secret_dismissed;
}

outcome sallyport_secret_open(
    library table, int may_unlock, sallyport_secret_object cancel, struct sallyport_secret_keyring *keyring,
    char **reason) {
    struct sallyport_secret_error *error = NULL;
    memset(keyring, 0, sizeof *keyring);
    *reason = NULL;
    sallyport_secret_object bus = table->bus(session_bus, cancel, &error);
    if (bus == NULL) return failure(table, error, reason);
    table->end_with_bus(bus, 0);
    keyring->service = table->open_service(table->service_type(), NULL, open_session, cancel, &error);
    // The service has a reference of its own.
    table->release_object(bus);
    if (keyring->service == NULL) return failure(table, error, reason);
    keyring->collection = table->collection(keyring->service, "default", 0, cancel, &error);
    if (error != NULL) return failure(table, error, reason);
    if (keyring->collection == NULL || !table->is_collection_locked(keyring->collection)) return sallyport_secret_done;
    return may_unlock ? unlock(table, keyring, cancel, reason) : sallyport_secret_locked;
}

void sallyport_secret_close(library table, struct sallyport_secret_keyring *keyring) {
    if (keyring->collection != NULL) table->release_object(keyring->collection);
    if (keyring->service != NULL) table->release_object(keyring->service);
    memset(keyring, 0, sizeof *keyring);
}

outcome sallyport_secret_count(
    library table, sallyport_secret_object service, const struct sallyport_secret_pair *pairs, size_t pair_count,
    sallyport_secret_object cancel, size_t *count, char **reason) {
    struct sallyport_secret_error *error = NULL;
    *count = 0;
    *reason = NULL;
    sallyport_secret_attributes attributes = attributes_of(table, pairs, pair_count);
    char **paths[2] = {NULL, NULL};
    int is_found = table->search_paths(service, NULL, attributes, cancel, &paths[0], &paths[1], &error);
    table->release_attributes(attributes);
    if (!is_found) return failure(table, error, reason);
    for (int i = 0; i < 2; i++) {
        for (char **path = paths[i]; path != NULL && *path != NULL; path++) *count += 1;
        table->free_texts(paths[i]);
    }
    return sallyport_secret_done;
}

outcome sallyport_secret_search(
    library table, sallyport_secret_object service, const struct sallyport_secret_pair *pairs, size_t pair_count,
    int with_secrets, int may_unlock, sallyport_secret_object cancel, struct sallyport_secret_items *items,
    char **reason) {
    struct sallyport_secret_error *error = NULL;
    memset(items, 0, sizeof *items);
    *reason = NULL;
    sallyport_secret_attributes attributes = attributes_of(table, pairs, pair_count);
    int flags = search_all | (may_unlock ? search_unlock : 0) | (with_secrets ? search_load_secrets : 0);
    items->list = table->search(service, NULL, attributes, flags, cancel, &error);
    table->release_attributes(attributes);
    if (error != NULL) return failure(table, error, reason);
    size_t length = 0;
    for (struct sallyport_secret_list *node = items->list; node != NULL; node = node->next) length++;
    items->items = calloc(length + 1, sizeof *items->items);
    if (items->items == NULL) abort();
    for (struct sallyport_secret_list *node = items->list; node != NULL; node = node->next) {
        // A dialog that was closed leaves them locked.
        if (table->is_item_locked(node->data)) return may_unlock ? sallyport_secret_dismissed : sallyport_secret_locked;
        struct sallyport_secret_item *item = &items->items[items->count++];
        item->object = node->data;
        item->attributes = table->attributes(node->data);
        item->modified = table->modified(node->data);
        if (!with_secrets) continue;
        item->value = table->value(node->data);
        // Locked since the search.
        if (item->value == NULL) return sallyport_secret_locked;
        item->bytes = table->bytes(item->value, &item->count);
    }
    return sallyport_secret_done;
}

void sallyport_secret_release(library table, struct sallyport_secret_items *items) {
    for (size_t i = 0; i < items->count; i++) {
        if (items->items[i].attributes != NULL) table->release_attributes(items->items[i].attributes);
        if (items->items[i].value != NULL) table->release_value(items->items[i].value);
    }
    free(items->items);
    release_list(table, items->list);
    memset(items, 0, sizeof *items);
}

outcome sallyport_secret_save(
    library table, sallyport_secret_object collection, const struct sallyport_secret_pair *pairs, size_t pair_count,
    const char *label, const char *bytes, size_t count, sallyport_secret_object cancel, char **reason) {
    struct sallyport_secret_error *error = NULL;
    *reason = NULL;
    // A copy in memory that the library erases.
    sallyport_secret_value value = table->make_value(bytes, (ptrdiff_t)count, "text/plain");
    sallyport_secret_attributes attributes = attributes_of(table, pairs, pair_count);
    sallyport_secret_object item =
        table->make_item(collection, NULL, attributes, label, value, replace_item, cancel, &error);
    table->release_attributes(attributes);
    table->release_value(value);
    if (item != NULL) table->release_object(item);
    if (error != NULL) return failure(table, error, reason);
    return item == NULL ? sallyport_secret_dismissed : sallyport_secret_done;
}

outcome sallyport_secret_remove(
    library table, sallyport_secret_object item, sallyport_secret_object cancel, char **reason) {
    struct sallyport_secret_error *error = NULL;
    *reason = NULL;
    int is_removed = table->remove_item(item, cancel, &error);
    if (error != NULL) return failure(table, error, reason);
    return is_removed ? sallyport_secret_done : sallyport_secret_dismissed;
}

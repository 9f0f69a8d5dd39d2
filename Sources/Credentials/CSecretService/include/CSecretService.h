#ifndef SALLYPORT_SECRET_SERVICE_H
#define SALLYPORT_SECRET_SERVICE_H

#include <stddef.h>
#include <stdint.h>

// The part of libsecret that a store of credentials needs, as a table of functions that is filled while the program runs. No header and
// no library of GLib or libsecret is needed to build this package. Every function that may wait for the keyring takes a `cancel`.

// GLib's and libsecret's types, which only their own functions look into.
typedef struct sallyport_secret_object *sallyport_secret_object;
typedef struct sallyport_secret_attributes *sallyport_secret_attributes;
typedef struct sallyport_secret_value *sallyport_secret_value;

/// GError of GLib.
struct sallyport_secret_error {
    uint32_t domain;
    int code;
    const char *message;
};

/// GList of GLib.
struct sallyport_secret_list {
    sallyport_secret_object data;
    struct sallyport_secret_list *next;
    struct sallyport_secret_list *previous;
};

/// The functions of libsecret, GIO and GLib.
struct sallyport_secret {
    // GLib
    sallyport_secret_attributes (*make_attributes)(void *hash, void *equal);
    int (*insert_attribute)(sallyport_secret_attributes, const char *name, const char *value);
    const char *(*look_up_attribute)(sallyport_secret_attributes, const char *name);
    void (*release_attributes)(sallyport_secret_attributes);
    void *hash_text;
    void *equal_texts;
    void (*free_error)(struct sallyport_secret_error *);
    void (*free_memory)(void *);
    void (*free_list)(struct sallyport_secret_list *);
    void (*free_texts)(char **);
    void (*release_object)(sallyport_secret_object);
    // GIO
    sallyport_secret_object (*make_cancel)(void);
    void (*cancel)(sallyport_secret_object);
    sallyport_secret_object (*bus)(int kind, sallyport_secret_object cancel, struct sallyport_secret_error **);
    void (*end_with_bus)(sallyport_secret_object bus, int does_end);
    // libsecret
    size_t (*service_type)(void);
    sallyport_secret_object (*open_service)(
        size_t type, const char *name, int flags, sallyport_secret_object cancel, struct sallyport_secret_error **);
    struct sallyport_secret_list *(*search)(
        sallyport_secret_object service, const void *schema, sallyport_secret_attributes, int flags,
        sallyport_secret_object cancel, struct sallyport_secret_error **);
    int (*search_paths)(
        sallyport_secret_object service, const void *schema, sallyport_secret_attributes,
        sallyport_secret_object cancel, char ***unlocked, char ***locked, struct sallyport_secret_error **);
    sallyport_secret_attributes (*attributes)(sallyport_secret_object item);
    int (*is_item_locked)(sallyport_secret_object item);
    uint64_t (*modified)(sallyport_secret_object item);
    sallyport_secret_value (*value)(sallyport_secret_object item);
    const char *(*bytes)(sallyport_secret_value, size_t *count);
    sallyport_secret_value (*make_value)(const char *bytes, ptrdiff_t count, const char *content_type);
    void (*release_value)(sallyport_secret_value);
    sallyport_secret_object (*collection)(
        sallyport_secret_object service, const char *alias, int flags, sallyport_secret_object cancel,
        struct sallyport_secret_error **);
    int (*is_collection_locked)(sallyport_secret_object collection);
    int (*unlock)(
        sallyport_secret_object service, struct sallyport_secret_list *, sallyport_secret_object cancel,
        struct sallyport_secret_list **unlocked, struct sallyport_secret_error **);
    sallyport_secret_object (*make_item)(
        sallyport_secret_object collection, const void *schema, sallyport_secret_attributes, const char *label,
        sallyport_secret_value, int flags, sallyport_secret_object cancel, struct sallyport_secret_error **);
    int (*remove_item)(sallyport_secret_object item, sallyport_secret_object cancel, struct sallyport_secret_error **);
};

/// How loading ends.
enum sallyport_secret_loading {
    sallyport_secret_loaded = 0,
    sallyport_secret_no_library,
    sallyport_secret_no_function,
};

/// Loads the library at `path` and fills the table. The library is never unloaded, because GLib has threads and types.
///
/// `reason` gets the loader's text, which lives until its next call, or the name of the missing function.
enum sallyport_secret_loading sallyport_secret_load(
    const char *path, struct sallyport_secret *table, const char **reason);

/// How a call of the keyring ends.
enum sallyport_secret_outcome {
    sallyport_secret_done = 0,
    /// A dialog would have to ask for the keyring's password, and none may.
    sallyport_secret_locked,
    /// A person has closed the dialog.
    sallyport_secret_dismissed,
    /// The library says why.
    sallyport_secret_failed,
};

/// A text of an attribute; both end with a zero.
struct sallyport_secret_pair {
    const char *name;
    const char *value;
};

/// An item that a search has found. It is valid until its search is released.
struct sallyport_secret_item {
    sallyport_secret_object object;
    sallyport_secret_attributes attributes;
    /// NULL if secrets were not asked for.
    sallyport_secret_value value;
    const char *bytes;
    size_t count;
    /// Seconds since 1970.
    uint64_t modified;
};

/// The items of a search.
struct sallyport_secret_items {
    struct sallyport_secret_list *list;
    struct sallyport_secret_item *items;
    size_t count;
};

/// The keyring's service and its default collection, which is NULL if there is none.
struct sallyport_secret_keyring {
    sallyport_secret_object service;
    sallyport_secret_object collection;
};

/// Connects to the keyring's service. The caller of this and of the functions below frees the text in `reason`, if there is one.
///
/// A default collection that is locked is an outcome: a service does not know what a locked collection holds, so a search there would find
/// nothing. `may_unlock`: whether a dialog may ask. GIO ends the process when its session bus goes away, which this turns off.
enum sallyport_secret_outcome sallyport_secret_open(
    const struct sallyport_secret *, int may_unlock, sallyport_secret_object cancel,
    struct sallyport_secret_keyring *keyring, char **reason);

/// Frees the connection, also after a failure.
void sallyport_secret_close(const struct sallyport_secret *, struct sallyport_secret_keyring *keyring);

/// Counts the items with these attributes, locked ones too, in one call of the bus.
enum sallyport_secret_outcome sallyport_secret_count(
    const struct sallyport_secret *, sallyport_secret_object service, const struct sallyport_secret_pair *pairs,
    size_t pair_count, sallyport_secret_object cancel, size_t *count, char **reason);

/// Finds the items with these attributes in all collections.
///
/// `with_secrets`: whether `bytes` are filled. `may_unlock`: whether a dialog may ask where an item is locked.
enum sallyport_secret_outcome sallyport_secret_search(
    const struct sallyport_secret *, sallyport_secret_object service, const struct sallyport_secret_pair *pairs,
    size_t pair_count, int with_secrets, int may_unlock, sallyport_secret_object cancel,
    struct sallyport_secret_items *items, char **reason);

/// Frees what a search has found.
void sallyport_secret_release(const struct sallyport_secret *, struct sallyport_secret_items *items);

/// Keeps a secret in the collection, and replaces the item there that has these attributes.
enum sallyport_secret_outcome sallyport_secret_save(
    const struct sallyport_secret *, sallyport_secret_object collection, const struct sallyport_secret_pair *pairs,
    size_t pair_count, const char *label, const char *bytes, size_t count, sallyport_secret_object cancel, char **reason);

/// Removes an item that a search has found.
enum sallyport_secret_outcome sallyport_secret_remove(
    const struct sallyport_secret *, sallyport_secret_object item, sallyport_secret_object cancel, char **reason);

#endif

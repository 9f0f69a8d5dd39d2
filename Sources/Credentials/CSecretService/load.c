#include "CSecretService.h"

#include <dlfcn.h>
#include <string.h>

enum sallyport_secret_loading sallyport_secret_load(
    const char *path, struct sallyport_secret *table, const char **reason) {
    memset(table, 0, sizeof *table);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        *reason = dlerror();
        return sallyport_secret_no_library;
    }
    // A search in the library's handle also finds the functions of GLib and GIO, on which it depends.
    const struct {
        const char *name;
        void *place;
    } needed[] = {
        {"g_hash_table_new", &table->make_attributes},
        {"g_hash_table_insert", &table->insert_attribute},
        {"g_hash_table_lookup", &table->look_up_attribute},
        {"g_hash_table_unref", &table->release_attributes},
        {"g_str_hash", &table->hash_text},
        {"g_str_equal", &table->equal_texts},
        {"g_error_free", &table->free_error},
        {"g_free", &table->free_memory},
        {"g_list_free", &table->free_list},
        {"g_strfreev", &table->free_texts},
        {"g_object_unref", &table->release_object},
        {"g_cancellable_new", &table->make_cancel},
        {"g_cancellable_cancel", &table->cancel},
        {"g_bus_get_sync", &table->bus},
        {"g_dbus_connection_set_exit_on_close", &table->end_with_bus},
        {"secret_service_get_type", &table->service_type},
        {"secret_service_open_sync", &table->open_service},
        {"secret_service_search_sync", &table->search},
        {"secret_service_search_for_dbus_paths_sync", &table->search_paths},
        {"secret_item_get_attributes", &table->attributes},
        {"secret_item_get_locked", &table->is_item_locked},
        {"secret_item_get_modified", &table->modified},
        {"secret_item_get_secret", &table->value},
        {"secret_value_get", &table->bytes},
        {"secret_value_new", &table->make_value},
        {"secret_value_unref", &table->release_value},
        {"secret_collection_for_alias_sync", &table->collection},
        {"secret_collection_get_locked", &table->is_collection_locked},
        {"secret_service_unlock_sync", &table->unlock},
        {"secret_item_create_sync", &table->make_item},
        {"secret_item_delete_sync", &table->remove_item},
    };
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        // POSIX allows to copy the address of a function that way, and C has no other form without a warning.
        void *address = dlsym(library, needed[i].name);
        if (address == NULL) {
            *reason = needed[i].name;
            return sallyport_secret_no_function;
        }
        memcpy(needed[i].place, &address, sizeof address);
    }
    return sallyport_secret_loaded;
}

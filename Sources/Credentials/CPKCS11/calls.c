#include "CPKCS11.h"

#include <stddef.h>

// CKR_…, CKF_… and CKA_… of the specification.
enum {
    ok = 0x0,
    general_error = 0x5,
    function_not_supported = 0x54,
    os_locking_ok = 0x2,
    serial_session = 0x4,
    user = 1,
    context_specific = 2,
    attribute_class = 0x0,
    attribute_token = 0x1,
};

// CK_C_INITIALIZE_ARGS: without mutexes of the application.
struct initialize_arguments {
    void *create_mutex;
    void *destroy_mutex;
    void *lock_mutex;
    void *unlock_mutex;
    p11_ulong flags;
    void *reserved;
};

// CK_ATTRIBUTE.
struct attribute {
    p11_ulong type;
    void *value;
    p11_ulong length;
};

// CK_MECHANISM.
struct mechanism {
    p11_ulong type;
    const void *parameter;
    p11_ulong length;
};

typedef void (*unused)(void);

// In the order of the specification, up to the last function that is called.
struct p11_functions {
    unsigned char version[2];
    p11_ulong (*initialize)(struct initialize_arguments *);
    p11_ulong (*finalize)(void *);
    unused get_info;
    unused get_function_list;
    p11_ulong (*get_slot_list)(unsigned char, p11_ulong *, p11_ulong *);
    unused get_slot_info;
    p11_ulong (*get_token_info)(p11_ulong, p11_token_info *);
    p11_ulong (*get_mechanism_list)(p11_ulong, p11_ulong *, p11_ulong *);
    unused get_mechanism_info;
    unused init_token;
    unused init_pin;
    unused set_pin;
    p11_ulong (*open_session)(p11_ulong, p11_ulong, void *, void *, p11_ulong *);
    p11_ulong (*close_session)(p11_ulong);
    unused close_all_sessions;
    unused get_session_info;
    unused get_operation_state;
    unused set_operation_state;
    p11_ulong (*login)(p11_ulong, p11_ulong, const unsigned char *, p11_ulong);
    unused logout;
    unused create_object;
    unused copy_object;
    unused destroy_object;
    unused get_object_size;
    p11_ulong (*get_attribute_value)(p11_ulong, p11_ulong, struct attribute *, p11_ulong);
    unused set_attribute_value;
    p11_ulong (*find_objects_init)(p11_ulong, struct attribute *, p11_ulong);
    p11_ulong (*find_objects)(p11_ulong, p11_ulong *, p11_ulong, p11_ulong *);
    p11_ulong (*find_objects_final)(p11_ulong);
    unused encrypt[4];
    unused decrypt[4];
    unused digest[5];
    p11_ulong (*sign_init)(p11_ulong, struct mechanism *, p11_ulong);
    p11_ulong (*sign)(p11_ulong, const unsigned char *, p11_ulong, unsigned char *, p11_ulong *);
};

p11_ulong p11_load(void *symbol, const p11_functions **functions) {
    p11_ulong (*get_function_list)(const p11_functions **) = (p11_ulong(*)(const p11_functions **))symbol;
    *functions = NULL;
    p11_ulong result = get_function_list(functions);
    return result == ok && *functions == NULL ? general_error : result;
}

unsigned p11_version(const p11_functions *functions) { return functions->version[0] << 8 | functions->version[1]; }

p11_ulong p11_initialize(const p11_functions *functions) {
    if (!functions->initialize) return function_not_supported;
    struct initialize_arguments arguments = {.flags = os_locking_ok};
    return functions->initialize(&arguments);
}

p11_ulong p11_finalize(const p11_functions *functions) {
    return functions->finalize ? functions->finalize(NULL) : function_not_supported;
}

p11_ulong p11_slots(const p11_functions *functions, p11_ulong *slots, p11_ulong *count) {
    return functions->get_slot_list ? functions->get_slot_list(1, slots, count) : function_not_supported;
}

p11_ulong p11_token(const p11_functions *functions, p11_ulong slot, p11_token_info *info) {
    return functions->get_token_info ? functions->get_token_info(slot, info) : function_not_supported;
}

p11_ulong p11_mechanisms(const p11_functions *functions, p11_ulong slot, p11_ulong *mechanisms, p11_ulong *count) {
    if (!functions->get_mechanism_list) return function_not_supported;
    return functions->get_mechanism_list(slot, mechanisms, count);
}

p11_ulong p11_open_session(const p11_functions *functions, p11_ulong slot, p11_ulong *session) {
    if (!functions->open_session) return function_not_supported;
    return functions->open_session(slot, serial_session, NULL, NULL, session);
}

p11_ulong p11_close_session(const p11_functions *functions, p11_ulong session) {
    return functions->close_session ? functions->close_session(session) : function_not_supported;
}

p11_ulong p11_login(const p11_functions *functions, p11_ulong session, const unsigned char *pin, p11_ulong length) {
    return functions->login ? functions->login(session, user, pin, length) : function_not_supported;
}

p11_ulong p11_login_again(
    const p11_functions *functions, p11_ulong session, const unsigned char *pin, p11_ulong length) {
    return functions->login ? functions->login(session, context_specific, pin, length) : function_not_supported;
}

p11_ulong p11_find(
    const p11_functions *functions, p11_ulong session, p11_ulong class, p11_ulong *objects, p11_ulong *count) {
    if (!functions->find_objects_init || !functions->find_objects || !functions->find_objects_final)
        return function_not_supported;
    unsigned char yes = 1;
    struct attribute template[] = {
        {attribute_class, &class, sizeof class},
        {attribute_token, &yes, sizeof yes},
    };
    p11_ulong result = functions->find_objects_init(session, template, 2);
    if (result != ok) return result;
    p11_ulong found = 0;
    while (found < *count) {
        p11_ulong more = 0;
        result = functions->find_objects(session, objects + found, *count - found, &more);
        if (result != ok || more == 0) break;
        if (more > *count - found) {
            result = general_error;
            break;
        }
        found += more;
    }
    // The search must end also after an error, or the session could not search again.
    p11_ulong end = functions->find_objects_final(session);
    *count = found;
    return result != ok ? result : end;
}

p11_ulong p11_attribute(
    const p11_functions *functions, p11_ulong session, p11_ulong object, p11_ulong type, unsigned char *value,
    p11_ulong *length) {
    if (!functions->get_attribute_value) return function_not_supported;
    struct attribute attribute = {type, value, *length};
    p11_ulong result = functions->get_attribute_value(session, object, &attribute, 1);
    *length = attribute.length;
    return result;
}

p11_ulong p11_begin_signing(
    const p11_functions *functions, p11_ulong session, p11_ulong key, p11_ulong mechanism,
    const p11_pss_parameters *parameters) {
    if (!functions->sign_init) return function_not_supported;
    struct mechanism chosen = {mechanism, parameters, parameters ? sizeof *parameters : 0};
    return functions->sign_init(session, &chosen, key);
}

p11_ulong p11_sign(
    const p11_functions *functions, p11_ulong session, const unsigned char *data, p11_ulong data_length,
    unsigned char *signature, p11_ulong *length) {
    return functions->sign ? functions->sign(session, data, data_length, signature, length) : function_not_supported;
}

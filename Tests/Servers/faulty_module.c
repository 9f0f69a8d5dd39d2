// A PKCS #11 module for tests: it passes on calls to the module in FAULTY_REAL, and makes the mistakes that other variables ask for.
// It knows the list of functions by its order in the specification only, so that it shares no declaration with the library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long number;

enum { initialize = 0, finalize = 1, get_slot_list = 4, get_token_info = 6, get_mechanism_list = 7, open_session = 12,
    close_session = 13, login = 18, get_attribute_value = 24, find_objects = 27, sign_init = 42, sign = 43, count_of_all = 68 };

struct list {
    unsigned char version[2];
    void *functions[count_of_all];
};

static struct list *real, faulty;
static int signatures;

static number setting(const char *name) {
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 0) : 0;
}

// One letter a call, at the end of the file in FAULTY_LOG.
static void note(char letter) {
    const char *path = getenv("FAULTY_LOG");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (file < 0) return;
    if (write(file, &letter, 1) != 1) abort();
    close(file);
}

// Calls a function of the other module. Arguments that it does not have are ignored.
static number pass(int index, number a, number b, number c, number d, number e) {
    return ((number(*)(number, number, number, number, number))real->functions[index])(a, b, c, d, e);
}

static number faulty_initialize(void *arguments) {
    note('i');
    if (setting("FAULTY_INITIALIZE")) return setting("FAULTY_INITIALIZE");
    return pass(initialize, (number)arguments, 0, 0, 0, 0);
}

static number faulty_finalize(void *reserved) {
    note('f');
    return pass(finalize, (number)reserved, 0, 0, 0, 0);
}

static number faulty_slots(unsigned char present, number *slots, number *count) {
    number result = pass(get_slot_list, (number)present, (number)slots, (number)count, 0, 0);
    if (setting("FAULTY_SLOTS")) *count = setting("FAULTY_SLOTS");
    return result;
}

static number faulty_token(number slot, unsigned char *info) {
    number result = pass(get_token_info, (number)slot, (number)info, 0, 0, 0);
    *(number *)(info + 96) |= setting("FAULTY_FLAGS");
    return result;
}

static number faulty_mechanisms(number slot, number *list, number *count) {
    number capacity = *count, result = pass(get_mechanism_list, (number)slot, (number)list, (number)count, 0, 0), kept = 0;
    if (setting("FAULTY_MECHANISMS")) *count = setting("FAULTY_MECHANISMS");
    if (result != 0 || list == NULL || *count > capacity) return result;
    for (number i = 0; i < *count; i++) {
        number type = list[i];
        // CKM_RSA_PKCS, CKM_RSA_PKCS_PSS, CKM_ECDSA.
        if (getenv("FAULTY_NO_RAW") && (type == 0x1 || type == 0xD || type == 0x1041)) continue;
        if (getenv("FAULTY_NO_PSS") && (type == 0xD || (type >= 0x43 && type <= 0x45))) continue;
        list[kept++] = type;
    }
    *count = kept;
    return result;
}

static number faulty_open(number slot, number flags, void *application, void *notify, number *session) {
    number result = pass(open_session, (number)slot, (number)flags, (number)application, (number)notify, (number)session);
    if (result == 0) note('o');
    return result;
}

static number faulty_close(number session) {
    note('c');
    return pass(close_session, (number)session, 0, 0, 0, 0);
}

static number faulty_login(number session, number user, unsigned char *pin, number length) {
    note('l');
    if (setting("FAULTY_LOGIN")) return setting("FAULTY_LOGIN");
    return pass(login, (number)session, (number)user, (number)pin, (number)length, 0);
}

static number faulty_attribute(number session, number object, void *attributes, number count) {
    number result = pass(get_attribute_value, (number)session, (number)object, (number)attributes, (number)count, 0);
    if (setting("FAULTY_LENGTH")) ((number *)attributes)[2] = setting("FAULTY_LENGTH");
    return result;
}

static number faulty_find(number session, number *objects, number most, number *count) {
    number result = pass(find_objects, (number)session, (number)objects, (number)most, (number)count, 0);
    if (setting("FAULTY_FOUND")) *count = setting("FAULTY_FOUND");
    if (getenv("FAULTY_MANY")) {
        memset(objects, 1, most * sizeof *objects);
        *count = most;
    }
    return result;
}

static number faulty_sign(number session, unsigned char *data, number length, unsigned char *out, number *out_length) {
    note('s');
    signatures++;
    // FAULTY_SIGN is what is returned from the signature with the number FAULTY_SIGN_FROM on, FAULTY_SIGN_TIMES times.
    int from = (int)setting("FAULTY_SIGN_FROM"), times = (int)setting("FAULTY_SIGN_TIMES");
    if (setting("FAULTY_SIGN") && signatures >= from && signatures < from + times) return setting("FAULTY_SIGN");
    const char *stall = getenv("FAULTY_STALL");
    while (stall && access(stall, F_OK) == 0) usleep(5000);
    number result = pass(sign, (number)session, (number)data, (number)length, (number)out, (number)out_length);
    if (getenv("FAULTY_SIGN_DAMAGE")) out[*out_length - 1] ^= 1;
    if (setting("FAULTY_SIGN_LENGTH")) *out_length = setting("FAULTY_SIGN_LENGTH");
    return result;
}

number C_GetFunctionList(struct list **list) {
    const char *path = getenv("FAULTY_REAL");
    if (getenv("FAULTY_NO_LIST")) {
        *list = NULL;
        return 0;
    }
    void *library = path ? dlopen(path, RTLD_NOW) : NULL;
    number (*get)(struct list **) = library ? (number(*)(struct list **))dlsym(library, "C_GetFunctionList") : NULL;
    if (!get || get(&real) != 0) return 5;
    faulty = *real;
    if (setting("FAULTY_VERSION")) faulty.version[0] = (unsigned char)setting("FAULTY_VERSION");
    faulty.functions[initialize] = (void *)faulty_initialize;
    faulty.functions[finalize] = (void *)faulty_finalize;
    faulty.functions[get_slot_list] = (void *)faulty_slots;
    faulty.functions[get_token_info] = (void *)faulty_token;
    faulty.functions[get_mechanism_list] = (void *)faulty_mechanisms;
    faulty.functions[open_session] = (void *)faulty_open;
    faulty.functions[close_session] = (void *)faulty_close;
    faulty.functions[login] = (void *)faulty_login;
    faulty.functions[get_attribute_value] = (void *)faulty_attribute;
    faulty.functions[find_objects] = (void *)faulty_find;
    faulty.functions[sign] = getenv("FAULTY_NO_SIGN") ? NULL : (void *)faulty_sign;
    *list = &faulty;
    return 0;
}

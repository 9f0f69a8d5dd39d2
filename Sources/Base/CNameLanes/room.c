#include "CNameLanes.h"

void sallyport_with_room(void (*body)(void *room, void *context), void *context)
{
    _Alignas(64) uint8_t room[SALLYPORT_ROOM];
    body(room, context);
}

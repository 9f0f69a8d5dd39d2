# What scripts of servers wait for. Source it, then:
#
#   eventually COMMAND…   repeats a command until it succeeds, for $patience seconds at most
#   listens PORT PID      whether this process itself listens on the port

# A start takes seconds, and minutes on a machine that has much to do. Only what hangs takes so long.
patience=1200

eventually() {
    local end=$((SECONDS + patience))
    until "$@"; do
        ((SECONDS < end)) || return 1
        sleep 0.05
    done
}

# That a port answers does not show who has it: another program may have taken it. So the process must have the socket. /proc/PID/net/tcp
# has the local address in column 2, the state in column 4 (0A: it listens), and the number of the socket in column 10.
listens() {
    local port
    printf -v port '%04X' "$1"
    { cat "/proc/$2/net/tcp" "/proc/$2/net/tcp6" || true; } 2>/dev/null |
        sockets=$(readlink "/proc/$2/fd/"* 2>/dev/null) awk -v port=":$port\$" '
            $2 ~ port && $4 == "0A" && index(ENVIRON["sockets"], "socket:[" $10 "]") { found = 1 }
            END { exit !found }'
}

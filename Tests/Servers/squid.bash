# What the scripts that start one Squid share. Source it after `begin` of serving.bash, then:
#
#   configure_squid PORT [ORIGIN_PORT]   writes its configuration: standard input, and the lines that every Squid here has. ORIGIN_PORT is
#                                        that of an open server behind it: it serves the folder $folder/page and ends with the script
#   serve_squid                          serves, as `serve` does
#
# Squids with one service name share memory: one that ends takes it from one that starts, which then does not start. So each has a name
# of its own, in letters and digits, as -n demands.

service=$(tr -cd 'A-Za-z0-9' <<<"${folder##*/}")
# The name stands in Squid's own pages: what shows it is this Squid, and no other server that holds the port.
shown=${service,,}.test
squid_port=
squid_origin=

# A proxy answers no path of its own.
answers() {
    local line found= address=/
    if [ -n "$squid_origin" ]; then
        listens "$squid_origin" "${helpers[-1]}" || return 1
        address=http://127.0.0.1:$squid_origin/
    fi
    exec 4<>"/dev/tcp/127.0.0.1/$1" || return 1
    printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$address" >&4
    while read -r -t 2 line <&4; do [[ $line != *"$shown"* ]] || found=1; done
    exec 4>&-
    [ -n "$found" ]
} 2>/dev/null

configure_squid() {
    squid_port=$1 squid_origin=${2:-}
    {
        cat <<CONFIGURATION
http_port 127.0.0.1:$1
visible_hostname $shown
cache deny all
pid_filename none
pinger_enable off
cache_log $folder/error.log
coredump_dir $folder
shutdown_lifetime 0 seconds
# A test may pause for minutes on a machine that has much to do.
client_idle_pconn_timeout 3600 seconds
request_start_timeout 3600 seconds
request_timeout 3600 seconds
CONFIGURATION
        cat
    } >"$folder/squid.conf"
    [ "$(id -u)" != 0 ] || chown -R proxy "$folder"
}

serve_squid() {
    [ -z "$squid_origin" ] || beside "$(dirname "${BASH_SOURCE[0]}")/open-pages" "$squid_origin" "$folder/page"
    # A Squid that is killed leaves its shared memory.
    trap 'finish; rm -f /dev/shm/"$service"-*.shm' EXIT
    serve "$squid_port" /usr/sbin/squid -N -n "$service" -f "$folder/squid.conf"
}

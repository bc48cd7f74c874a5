#!/usr/bin/env bash
# Runs a Redis Cluster of three masters with a replica each, on loopback ports, until this process ends.
#   redis-cluster.bash DIRECTORY NODE_TIMEOUT_MILLIS PORT1 ... PORT6
# Each node has DIRECTORY/PORT with its redis.conf and its pid. The first three are the masters. The port of the cluster
# bus is PORT + 10000. The script writes nodes.conf instead of running redis-cli, because that takes no time.
set -euo pipefail

dir=$1 timeout=$2
shift 2
ports=("$@")
[[ ${#ports[@]} -eq 6 ]] || { echo 'redis-cluster: six ports are needed' >&2; exit 2; }
slots=(0-5460 5461-10922 10923-16383)

# Quotes a path for redis.conf.
quoted() { local path=${1//\\/\\\\}; printf '"%s"' "${path//\"/\\\"}"; }

id_of() { printf '%040d' "$1"; }

# Line N of nodes.conf; FLAGS is "myself," in the node's own file.
node_line() {
    local n=$1 flags=$2
    if ((n < 3)); then
        printf '%s 127.0.0.1:%s@%s %smaster - 0 0 %s connected %s\n' "$(id_of "$n")" "${ports[n]}" "$((ports[n] + 10000))" "$flags" "$((n + 1))" "${slots[n]}"
    else
        printf '%s 127.0.0.1:%s@%s %sslave %s 0 0 %s connected\n' "$(id_of "$n")" "${ports[n]}" "$((ports[n] + 10000))" "$flags" "$(id_of "$((n - 3))")" "$((n - 2))"
    fi
}

for n in "${!ports[@]}"; do
    port=${ports[n]}
    mkdir -p "$dir/$port"
    cat >"$dir/$port/redis.conf" <<CONF
bind 127.0.0.1
port $port
dir $(quoted "$dir/$port")
pidfile $(quoted "$dir/$port/redis.pid")
logfile $(quoted "$dir/log")
save ""
appendonly no
repl-diskless-sync yes
repl-diskless-sync-delay 0
repl-ping-replica-period 1
cluster-enabled yes
cluster-config-file nodes.conf
cluster-node-timeout $timeout
cluster-replica-validity-factor 0
CONF
    {
        for m in "${!ports[@]}"; do
            if ((m == n)); then node_line "$m" myself,; else node_line "$m" ''; fi
        done
        echo 'vars currentEpoch 3 lastVoteEpoch 0'
    } >"$dir/$port/nodes.conf"
    # The nodes end with this process, however it ends.
    # shellcheck disable=SC2016 # of the inner shell
    setpriv --pdeathsig KILL -- sh -c 'test "$PPID" -eq "$0" || exit 1; exec "$@"' $$ "${HEADROOM_REDIS_SERVER:-redis-server}" "$dir/$port/redis.conf" &
    echo $! >"$dir/$port/pid"
done

# shellcheck disable=SC2046 # pids
trap 'trap - TERM INT; kill $(jobs -p) 2>/dev/null || true; wait; exit 0' TERM INT
while [[ -n $(jobs -p) ]]; do
    code=0
    wait -n || code=$?
    # A node that exits by itself could not start, which ends the cluster. A node that was killed leaves the others
    # running.
    ((code < 1 || code > 127)) || { trap - TERM INT; kill $(jobs -p) 2>/dev/null || true; exit 1; }
done
exec sleep infinity

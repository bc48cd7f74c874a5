# shellcheck shell=bash
# shellcheck disable=SC2154,SC2317 # dir, port and name are the caller's
# The servers of bin/services: launch_X starts X on $port with its data in $dir, ready_X tests whether it answers.

database_of_headroom() {
    cat <<'SQL'
CREATE DATABASE IF NOT EXISTS headroom CHARACTER SET utf8mb4;
CREATE USER IF NOT EXISTS headroom@'127.0.0.1' IDENTIFIED BY 'headroom';
GRANT ALL PRIVILEGES ON *.* TO headroom@'127.0.0.1' WITH GRANT OPTION;
SQL
}

# Servers run with their default durability. `make test` sets this: then they survive a kill but not a power cut,
# because they write to the same files without waiting for the disk.
is_quick() { [[ -n ${HEADROOM_QUICK_SERVERS:-} ]]; }

launch_mariadb() {
    local user=() quick=()
    if is_quick; then quick=(--innodb-flush-method=nosync --skip-innodb-doublewrite); fi
    if is_root; then user=(--user=mysql); own mysql "$dir"; fi
    # Servers name files in a shared temporary directory by their pid, and servers in different namespaces may have the
    # same pid.
    mkdir "$dir/data" "$dir/tmp"
    if is_root; then own mysql "$dir/tmp"; fi
    mariadb-install-db --no-defaults --datadir="$dir/data" --tmpdir="$dir/tmp" "${user[@]}" --auth-root-authentication-method=normal \
        --skip-test-db --skip-name-resolve >>"$dir/log" 2>&1 || return 1
    database_of_headroom >"$dir/init.sql"
    own mysql "$dir"
    launch mariadbd --no-defaults --datadir="$dir/data" --tmpdir="$dir/tmp" "${user[@]}" --bind-address=127.0.0.1 --port="$port" \
        --socket="$dir/s.sock" --pid-file="$dir/server.pid" --init-file="$dir/init.sql" --skip-name-resolve \
        --max-connections=300 --default-storage-engine=InnoDB --innodb-flush-log-at-trx-commit=1 "${quick[@]}"
}

# A client is more expensive to start than this check, so wait until the port is open.
accepts() { true 3<>"/dev/tcp/127.0.0.1/$port"; }

ready_mariadb() {
    accepts || return 1
    MYSQL_PWD=headroom mariadb --no-defaults --connect-timeout=5 -h 127.0.0.1 -P "$port" -u headroom -N -e 'SELECT 1' headroom
}

# Without the X protocol, which needs a second port. Only root can chroot it into a directory of its own. Its statistics
# and its binary log take half of its CPU time if tables are created and dropped all the time.
launch_mysql() {
    local program inside=() data=$dir/data tmp=$dir/tmp sql=$dir/init.sql root=''
    local quick=()
    if is_quick; then quick=(--innodb-flush-method=nosync --skip-innodb-doublewrite --disable-log-bin --performance-schema=OFF); fi
    program=$(binary_of mysql)
    if [[ $program == *.tar.zst ]]; then
        root=$dir/root
        unpack_root "$program" "$root" || return 1
        program=/usr/sbin/mysqld
        inside=(chroot --userspec=65534:65534 "$root" "$program")
        data=/data tmp=/tmp sql=/init.sql
        mkdir -p "$root/data" "$root/tmp"
        chown 65534:65534 "$root/data" "$root/tmp"
    else
        mkdir "$data" "$tmp"
        inside=("$program")
        if is_root; then own nobody "$dir"; inside=(setpriv --reuid=nobody --regid=nogroup --clear-groups -- "$program"); fi
    fi
    inside+=(--no-defaults --datadir="$data" --tmpdir="$tmp" --secure-file-priv=NULL)
    "${inside[@]}" --initialize-insecure >>"$dir/log" 2>&1 || return 1
    database_of_headroom >"$root$sql"
    chmod 644 "$root$sql"
    launch "${inside[@]}" --bind-address=127.0.0.1 --port="$port" --mysqlx=OFF --socket="$tmp/s.sock" --pid-file="$tmp/server.pid" \
        --init-file="$sql" --skip-name-resolve --max-connections=300 "${quick[@]}"
}

# MariaDB's client may not be installed, and may not support MySQL's authentication.
ready_mysql() {
    accepts || return 1
    "$PHP" -d default_socket_timeout=5 -r 'new PDO("mysql:host=127.0.0.1;port=$argv[1];dbname=headroom", "headroom", "headroom", [PDO::ATTR_TIMEOUT => 5]);' "$port"
}

launch_pgsql() {
    local bin user=()
    bin=$(dirname "$(newest_pg)")
    # PostgreSQL refuses to run as root. setpriv replaces itself with the server, so that the recorded pid is the
    # server's.
    if is_root; then user=(setpriv --reuid=postgres --regid="$(id -g postgres)" --init-groups --); fi
    echo headroom >"$dir/password"
    own postgres "$dir"
    cd "$dir" || return 1
    "${user[@]}" "$bin/initdb" --no-sync -D "$dir/data" -U headroom --pwfile="$dir/password" -A scram-sha-256 \
        -E UTF8 --locale=C.UTF-8 >>"$dir/log" 2>&1 || return 1
    "${user[@]}" "$bin/postgres" --single -D "$dir/data" postgres <<<'CREATE DATABASE headroom' >>"$dir/log" 2>&1 || return 1
    launch "${user[@]}" "$bin/postgres" -D "$dir/data" -p "$port" -c listen_addresses=127.0.0.1 \
        -c unix_socket_directories="$dir" -c max_connections=300
}

# Another process that listens on the port for a moment may send nothing.
ready_pgsql() {
    accepts || return 1
    PGCONNECT_TIMEOUT=5 PGPASSWORD=headroom "$(dirname "$(newest_pg)")/psql" -h 127.0.0.1 -p "$port" -U headroom -d headroom -Atc 'SELECT 1'
}

launch_redis() {
    launch "$(binary_of redis)" --bind 127.0.0.1 --port "$port" --dir "$dir" --save '' --appendonly no --daemonize no
}

ready_redis() {
    local answer
    exec 3<>"/dev/tcp/127.0.0.1/$port" || return 1
    printf 'PING\r\n' >&3
    read -r -t 2 answer <&3
    [[ $answer == +PONG* ]]
}

# As Debian ships it: without -b, so jobs are in memory only.
launch_beanstalkd() {
    local user=()
    if is_root; then user=(-u beanstalkd); fi
    launch beanstalkd -l 127.0.0.1 -p "$port" "${user[@]}"
}

ready_beanstalkd() {
    local answer
    exec 3<>"/dev/tcp/127.0.0.1/$port" || return 1
    printf 'list-tube-used\r\n' >&3
    read -r -t 2 answer <&3
    [[ $answer == 'USING default'* ]]
}

# The port of the cluster bus is 10000 higher; both must be below the range of outgoing ports.
launch_redis-cluster() {
    local ports=() next
    while [[ ${#ports[@]} -lt 6 ]]; do
        next=$(free_port 2700)
        if claim_port $((next + 10000)); then ports+=("$next"); fi
    done
    port=${ports[0]}
    echo "$port" >"$STATE/$name/port"
    echo "${ports[*]}" >"$STATE/$name/ports"
    HEADROOM_REDIS_SERVER=$(binary_of redis) launch "$ROOT/dev/services/redis-cluster.bash" "$dir" 5000 "${ports[@]}"
}

ready_redis-cluster() {
    local ports node cli
    accepts || return 1
    cli=$(command -v redis-cli || command -v valkey-cli)
    read -ra ports <"$STATE/$name/ports"
    for node in "${ports[@]}"; do
        timeout 5 "$cli" -p "$node" cluster info | grep -q '^cluster_state:ok' || return 1
    done
    for node in "${ports[@]:0:3}"; do
        timeout 5 "$cli" -p "$node" info replication | grep -q '^slave0:.*state=online' || return 1
    done
}

# ClickHouse has no command-line options for these settings. Users: default without a password, headroom with one.
launch_clickhouse() {
    local user=()
    mkdir "$dir/data" "$dir/tmp" "$dir/files"
    cat >"$dir/users.xml" <<'XML'
<yandex><profiles><default></default></profiles><quotas><default></default></quotas><users>
<default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
<headroom><password>headroom</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></headroom>
</users></yandex>
XML
    cat >"$dir/config.xml" <<XML
<yandex><logger><level>warning</level><console>1</console></logger><listen_host>127.0.0.1</listen_host>
<http_port>$port</http_port><tcp_port>$(free_port)</tcp_port><mark_cache_size>16777216</mark_cache_size>
<path>$dir/data/</path><tmp_path>$dir/tmp/</tmp_path><user_files_path>$dir/files/</user_files_path><format_schema_path>$dir/files/</format_schema_path>
<users_config>$dir/users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database></yandex>
XML
    if is_root; then user=(setpriv --reuid=clickhouse --regid="$(id -g clickhouse)" --clear-groups --); fi
    own clickhouse "$dir"
    launch "${user[@]}" clickhouse-server --config-file="$dir/config.xml"
}

ready_clickhouse() { http_says /ping Ok; }

# It uses the first free port from 9201 on, and prints it once it is ready.
launch_opensearch() {
    local user=()
    mkdir "$dir/data"
    if is_root; then user=(setpriv --reuid=nobody --regid=nogroup --clear-groups --); own nobody "$dir"; fi
    launch "${user[@]}" "$(binary_of opensearch)" "$dir/data"
}

ready_opensearch() {
    port=$(sed -n 's/^READY //p' "$dir/log")
    [[ -n $port ]] || return 1
    echo "$port" >"$STATE/$name/port"
}

http_says() {
    local line
    exec 3<>"/dev/tcp/127.0.0.1/$port" || return 1
    printf 'GET %s HTTP/1.0\r\n\r\n' "$1" >&3
    while read -r -t 2 line <&3; do [[ $line != "$2"* ]] || return 0; done
    return 1
}

document_root() { echo "${HEADROOM_DOCUMENT_ROOT:-$ROOT/workbench/public}"; }

# Quotes a path for the configuration of nginx or FPM.
quoted() { local path=${1//\\/\\\\}; printf '"%s"' "${path//\"/\\\"}"; }

launch_fpm() {
    local front identity='' flags=()
    front=$(document_root)/index.php
    [[ -f $front ]] || { say "services: fpm has nothing to serve: $front is not there. Set HEADROOM_DOCUMENT_ROOT."; return 1; }
    # The workers run as the owner of the application, which may be root in a container.
    if is_root; then
        flags=(--allow-to-run-as-root)
        identity=$(stat --printf='user = %U\ngroup = %G' "$front")
    fi
    cat >"$dir/fpm.conf" <<CONF
[global]
error_log = $(quoted "$dir/log")
[www]
$identity
listen = 127.0.0.1:$port
listen.backlog = 1024
pm = static
pm.max_children = ${HEADROOM_FPM_WORKERS:-8}
clear_env = no
catch_workers_output = yes
CONF
    launch "$(binary_of fpm)" --nodaemonize --fpm-config "$dir/fpm.conf" "${flags[@]}"
}

ready_fpm() { accepts; }
ready_nginx() { accepts; }

launch_nginx() {
    local root fpm_port file
    root=$(document_root)
    remembered fpm port
    fpm_port=$REPLY
    # shellcheck disable=SC2016 # the dollars are nginx variables
    {
        if is_root; then printf 'user %s %s;\n' "$(stat -c %U "$root")" "$(stat -c %G "$root")"; fi
        printf 'daemon off;\npid %s;\nerror_log %s warn;\nevents { worker_connections 2048; }\n' "$(quoted "$dir/nginx.pid")" "$(quoted "$dir/log")"
        printf 'http {\naccess_log off;\n'
        for file in client_body proxy fastcgi uwsgi scgi; do printf '%s_temp_path %s;\n' "$file" "$(quoted "$dir/$file")"; done
        printf 'server { listen 127.0.0.1:%s backlog=1024; root %s; location / { try_files $uri /index.php$is_args$args; }\n' "$port" "$(quoted "$root")"
        printf 'location ~ \\.php$ { include /etc/nginx/fastcgi_params; fastcgi_param SCRIPT_FILENAME $document_root/index.php;\n'
        printf 'fastcgi_pass 127.0.0.1:%s; } } }\n' "$fpm_port"
    } >"$dir/nginx.conf"
    launch "$(binary_of nginx)" -c "$dir/nginx.conf" -e "$dir/log" -p "$dir"
}

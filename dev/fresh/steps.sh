#!/usr/bin/env bash
# The steps of dev/fresh.sh, inside the root: the commands that README and CONTRIBUTING give a newcomer.
set -euo pipefail

person=$1
# shellcheck source=dev/roots.bash
. "$(dirname "${BASH_SOURCE[0]}")/../roots.bash"
reach_source || exit
export COMPOSER_ALLOW_SUPERUSER=1 DEBIAN_FRONTEND=noninteractive
output=/var/log/step.log

# step NAME COMMAND...: runs the command and copies its output to $output.
step() {
    local name=$1 start=$SECONDS
    shift
    printf 'step %s\n' "$name"
    "$@" 2>&1 | tee "$output" || { printf 'step %s FAILED after %d s\n' "$name" $((SECONDS - start)); exit 1; }
    printf 'step %s done in %d s\n' "$name" $((SECONDS - start))
}

# The command must fail and name packages. Then run the command that it prints for root.
step_refused() {
    local name=$1 line
    shift
    printf 'step %s\n' "$name"
    if "$@" >"$output" 2>&1; then cat "$output"; printf 'step %s FAILED: it was not refused\n' "$name"; exit 1; fi
    cat "$output"
    line=$(grep -oE 'Run as root on Debian: .*' "$output" | tail -n 1 || true)
    line=${line#Run as root on Debian: }
    [[ -n $line ]] || { printf 'step %s FAILED: it names no packages\n' "$name"; exit 1; }
    printf -- '-- as root: %s\n' "$line"
    # Like in a container: without package lists, and with "yes" as the answer to every question.
    rm -rf /var/lib/apt/lists/*_*
    echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/yes
    bash -c "$line"
}

expect() { grep -qE "$1" "$output" || { printf -- '-- FAILED: nothing in the output of the last step matches %s\n' "$1"; exit 1; }; }

# demo URL: checks what the demo has printed.
demo_is_whole() {
    expect "$1"
    expect 'accepted [1-9][0-9]* = delivered [1-9][0-9]* \+ dead 0 \+ dropped 0 \+ pending 0'
    expect ' 0 of their rows are missing, 0 are there twice'
}

# What docs/quickstart.md and README tell a reader to do, as printed, in new Laravel applications. `make demo` has installed
# Composer's packages, and the extensions that PHP lacked.
QUICKSTART='HEADROOM_PROOF=1 php vendor/bin/phpunit tests/Acceptance/QuickstartTest.php tests/Acceptance/ReadmeStepsTest.php'
quickstart_is_done() {
    expect '^quickstart: [0-9]+ s, '
    printf -- '-- %s\n' "$(grep -aE '^quickstart: [0-9]+ s, ' "$output")"
}

case $person in
    user)
        # The root is minimal and has no useradd.
        echo 'dev:x:1000:1000::/home/dev:/bin/bash' >>/etc/passwd
        echo 'dev:x:1000:' >>/etc/group
        install -d -o dev -g dev /home/dev
        as() { runuser -u dev -- env HOME=/home/dev bash -c "cd ~/headroom && $1"; }
        # git does not trust a repository of another user.
        step clone git clone -q /source/headroom /home/dev/headroom
        chown -R dev:dev /home/dev/headroom
        step_refused 'make demo, packages missing' as 'make demo'
        step 'make demo' as 'make demo'
        demo_is_whole "PHP's built-in server"
        step quickstart as "$QUICKSTART"
        quickstart_is_done
        step_refused 'bin/services install' as 'bin/services install mariadb pgsql redis redis-cluster beanstalkd clickhouse nginx fpm strace tmux python3 promtool smtp chromium clients'
        step 'make demo, with nginx' as 'make demo'
        demo_is_whole 'Served by nginx and PHP-FPM'
        step 'make install servers' as 'make install servers'
        step 'bin/services missing' as 'bin/services missing mariadb pgsql redis redis-cluster beanstalkd nginx fpm strace tmux python3 promtool'
        [[ ! -s $output ]] || { echo '-- FAILED: these were to be installed'; exit 1; }
        ;;
    reader)
        step clone git clone -q /source/headroom /root/headroom
        cd /root/headroom
        step 'make install' make install
        step quickstart bash -c "$QUICKSTART"
        quickstart_is_done
        ;;
    opt | root)
        folder=/$person
        step clone git clone -q /source/headroom "$folder/headroom"
        cd "$folder/headroom"
        step 'make demo' make demo
        demo_is_whole "PHP's built-in server"
        step 'make install servers' make install servers
        step 'bin/services missing' bin/services missing mariadb pgsql redis redis-cluster beanstalkd nginx fpm strace tmux smtp chromium clients
        [[ ! -s $output ]] || { echo '-- FAILED: these were to be installed'; exit 1; }
        # Only packages that the sources of this release lack may be left out.
        for name in $(cat build/services/without 2>/dev/null); do
            case $name in mysql) ;; *) [[ $(LC_ALL=C apt-cache policy "$name-server" "$name") != *'Candidate: '[!\(]* ]] || { echo "-- FAILED: $name was left out"; exit 1; } ;; esac
        done
        step 'make demo, with nginx' make demo
        demo_is_whole 'Served by nginx and PHP-FPM'
        if [[ $person == opt ]]; then step 'make test-fast' make test-fast; fi
        ;;
esac

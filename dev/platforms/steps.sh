#!/usr/bin/env bash
# The steps of dev/platforms.sh on one platform, in its copy of the tree.
#   dev/platforms/steps.sh SMOKE REQUIREMENT...     SMOKE is 0 or 1, a requirement PACKAGE:CONSTRAINT
set -euo pipefail

smoke=$1
shift
caller_ci=${CI:-}
# Composer rejects versions with known vulnerabilities, which Laravel 11 has.
export COMPOSER_ALLOW_SUPERUSER=1 COMPOSER_NO_SECURITY_BLOCKING=1 CI=true
mkdir -p build

# A package that is already in `require` stays there with the narrower constraint; the others are for development.
for requirement in "$@"; do
    case $requirement in
        symfony/*) composer require --no-update --no-interaction --quiet "$requirement" ;;
        *) composer require --dev --no-update --no-interaction --quiet "$requirement" ;;
    esac
done
# Retry if the registry does not answer; the last attempt uses Composer's cache.
for try in 1 2 offline; do
    if [[ $try == offline ]]; then export COMPOSER_DISABLE_NETWORK=1; fi
    if composer update --no-interaction --no-progress --no-plugins; then break; fi
    [[ $try != offline ]] || exit 1
done
unset COMPOSER_DISABLE_NETWORK
chmod -R a+rX vendor
find . -type d -name storage -path './workbench/*' -exec chmod -R a+rwX {} +

version() { composer show "$1" --no-ansi 2>/dev/null | sed -n 's/^versions *: \* *//p'; }
printf 'versions PHP %s, Laravel %s, Symfony %s, Guzzle %s\n' "$(php -r 'echo PHP_VERSION;')" "$(version laravel/framework)" "$(version symfony/console)" "$(version guzzlehttp/guzzle)"

failed=0
# tests NAME SERVERS ARGUMENTS...: runs PHPUnit with these servers; the log gets a line for the summary.
tests() {
    local name=$1 start=$SECONDS code=0 numbers run=() names
    read -ra names <<<"$2"
    shift 2
    if [[ ${#names[@]} -gt 0 ]]; then run=(bin/services run "${names[@]}" --); fi
    "${run[@]}" vendor/bin/phpunit --colors=never --cache-directory "build/phpunit-$name" "$@" >"build/$name.log" 2>&1 || code=$?
    cat "build/$name.log"
    numbers=$(grep -aE '^(OK \(|Tests: )' "build/$name.log" | tail -n 1 || true)
    printf '  - %-8s %4d s  %s\n' "$name" $((SECONDS - start)) "${numbers:-did not end (code $code)}"
    ((code == 0)) || failed=1
}

names=(mariadb mysql pgsql redis redis-cluster beanstalkd nginx fpm strace python3)
code=0
bin/services install "${names[@]}" || code=$?
# 4: this system lacks packages. 3: packages are missing that an ordinary user cannot install.
if ((code != 0 && code != 4)) && { ((code != 3)) || [[ $EUID -eq 0 ]]; }; then exit "$code"; fi
missing=$(bin/services missing "${names[@]}" | paste -sd ' ')
if [[ -n $missing ]]; then printf -- '  - without %s\n' "$missing"; fi
HEADROOM_WITHOUT="clickhouse promtool smtp chromium clients opensearch tmux $(paste -sd ' ' build/services/without 2>/dev/null || true)"
# A CI machine has everything that it can have. Elsewhere the summary lists what was missing.
if [[ ! $caller_ci =~ ^(true|1)$ ]]; then HEADROOM_WITHOUT+=" $missing"; fi
export HEADROOM_WITHOUT
servers=' '
for name in mariadb mysql pgsql redis redis-cluster beanstalkd; do
    [[ " $missing " == *" $name "* ]] || servers+="$name "
done

if ((smoke)); then
    tests smoke "$(tr ' ' '\n' <<<"$servers" | grep -xE 'mysql|redis' | paste -sd ' ')" --group smoke
else
    # Style and types are checked on the main line only.
    if [[ " $* " == *' symfony/console:^8'* ]]; then
        for what in style-check types; do make "$what" || { echo "  - $what FAILED"; failed=1; }; done
    fi
    # `make test` runs a sample; this runs everything.
    export HEADROOM_PROOF=1
    tests tests "$servers" --testsuite unit,contract,laravel,index
    tests fault "$servers" --testsuite fault --filter 'Redis|KilledDatabase|MySQL'
    if command -v valkey-server >/dev/null; then
        HEADROOM_REDIS_SERVER=$(command -v valkey-server) tests valkey "$servers" --testsuite unit,contract,fault,laravel --filter Redis
    elif php -r 'exit(PHP_VERSION_ID >= 80400 ? 0 : 1);'; then
        echo '  - without valkey' # Debian 12 has none
    fi
    if [[ $servers == *' mysql '* ]]; then
        HEADROOM_TORTURE_DATABASE=mysql tests kills "$(tr ' ' '\n' <<<"$servers" | grep -xE 'mariadb|mysql|pgsql' | paste -sd ' ')" --testsuite fault --filter 'RandomKillTest|KilledFlusherTest|CrashPointTest'
    fi
fi

exit "$failed"

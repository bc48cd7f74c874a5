# The commands of the house. `make` alone lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PHP ?= php
COMPOSER ?= composer
export COMPOSER_ALLOW_SUPERUSER := 1

# What `make test` starts for the tests. nginx, FPM and OpenSearch the tests start themselves.
SERVERS := mariadb mysql pgsql redis redis-cluster beanstalkd clickhouse
# What tests take from this machine besides.
PROGRAMS := nginx fpm strace tmux python3 promtool smtp chromium clients roots
# For what computes for a minute on one CPU.
COMPILED := -d opcache.enable_cli=1 -d opcache.jit=tracing -d opcache.jit_buffer_size=64M
# A fork copies the map of all memory that PHPUnit has, and there are ten thousand; of large pages it is short.
PHPUNIT := env USE_ZEND_ALLOC_HUGE_PAGES=1 $(PHP) vendor/bin/phpunit --colors=auto
PHPSTAN := env USE_ZEND_ALLOC_HUGE_PAGES=1 $(PHP) vendor/bin/phpstan analyse --memory-limit=1G --no-progress

# Twice what the longest takes on a slow day.
LANE_SECONDS ?= 4500

# phase NAME COMMAND...: runs it, goes on if it fails, and remembers how it went, how long it took, its CPU seconds (its child
# processes' and its servers', which `bin/services run` writes down) and what it skipped.
# lane FUNCTION: runs the function's phases beside the other lanes; what they print is kept for `join`, which waits for all.
# A lane that has not ended LANE_SECONDS after the start is ended, and fails: what it hangs in is printed.
# summary: says how all went, writes it to build/result.json, and fails if a phase did. What they skipped goes to HEADROOM_NOTE,
# the note of the phase that this make is in.
define PHASES
    phases=() lanes=() failed=0
    mkdir -p build
    # In hundredths of a second: "0m1.250s 0m0.300s", this shell's and then its children's.
    cpu_hundredths() {
        times >"build/$$BASHPID.times"
        awk '{ for (i = 1; i <= NF; i++) { split($$i, t, /[ms]/); sum += 60 * t[1] + t[2] } } END { printf "%d", 100 * sum }' "build/$$BASHPID.times"
        rm -f "build/$$BASHPID.times"
    }
    phase() {
        local name=$$1 start=$$SECONDS outcome=passed note before after
        shift
        printf '\n== %s\n' "$$name"
        rm -f "build/$$name.note" "build/$$name.cpu"
        cpu_hundredths >"build/$$name.times"; read -r before <"build/$$name.times" || true
        HEADROOM_NOTE="build/$$name.note" HEADROOM_SERVERS_CPU="$$PWD/build/$$name.cpu" "$$@" || { outcome=FAILED; failed=1; }
        cpu_hundredths >"build/$$name.times"; read -r after <"build/$$name.times" || true
        rm -f "build/$$name.times"
        note=$$(cat "build/$$name.note" 2>/dev/null || true)
        phases+=("$$(printf '%-14s %-7s %4d s %5d CPU s%s' "$$name" "$$outcome" $$((SECONDS - start)) \
            $$(((after - before + $$(awk '{ sum += $$1 } END { print sum + 0 }' "build/$$name.cpu" 2>/dev/null || echo 0)) / 100)) "$$note")")
    }
    # serving NAME "SERVERS" FUNCTION: the function's phases share these servers, as far as they are installed.
    serving() {
        local name=$$1 present run=() file=build/$$1.serving start=$$SECONDS
        shift
        present=$$(bin/services status | awk '$$2 != "not" { print $$1 }' | grep -xE "$${1// /|}" || true)
        if [[ -n $$present ]]; then run=(bin/services run $$present --); fi
        export -f cpu_hundredths phase "$$2"
        rm -f "$$file" "$$file.cpu"
        HEADROOM_SERVERS_CPU="$$PWD/$$file.cpu" "$${run[@]}" bash -euo pipefail -c \
            'phases=() failed=0; "$$1"; printf "%s\n" "$${phases[@]}" >"$$2"; exit $$failed' bash "$$2" "$$file" || failed=1
        if [[ -f $$file ]]; then mapfile -t -O $${#phases[@]} phases <"$$file"; else phases+=("$$2 did not start"); failed=1; fi
        phases+=("$$(printf '%-14s %-7s %4d s %5d CPU s' "$$name-servers" passed $$((SECONDS - start)) \
            $$(($$(awk '{ sum += $$1 } END { print sum + 0 }' "$$file.cpu" 2>/dev/null || echo 0) / 100)))")
        rm -f "$$file" "$$file.cpu"
    }
    lane() {
        mkdir -p build
        rm -f "build/$$1.phases"
        set -m # a process group of its own, so that one signal ends all of it
        ( set +m; phases=(); "$$1"; printf '%s\n' "$${phases[@]}" >"build/$$1.phases"; exit $$failed ) >"build/$$1.log" 2>&1 &
        lanes+=("$$1:$$!")
        set +m
        trap 'for lane in "$${lanes[@]}"; do kill -TERM -- "-$${lane#*:}" 2>/dev/null || true; done; wait; exit 130' INT TERM HUP
    }
    join() {
        local lane i
        for lane in "$${lanes[@]}"; do
            while [[ " $$(jobs -pr | tr '\n' ' ')" == *" $${lane#*:} "* ]]; do
                if ((SECONDS >= $(LANE_SECONDS))); then
                    printf '\nmake: %s has not ended in $(LANE_SECONDS) s, and is ended. What runs in it:\n' "$${lane%:*}"
                    ps -eww -o pgid=,pid=,ppid=,etimes=,args= | awk -v group="$${lane#*:}" '$$1 == group { print substr($$0, 1, 300) }' || true
                    kill -TERM -- "-$${lane#*:}" || true
                    # Servers that are stopped take some seconds; who hears nothing is killed.
                    for ((i = 0; i < 20; i++)); do kill -0 -- "-$${lane#*:}" 2>/dev/null || break; sleep 0.5; done
                    kill -KILL -- "-$${lane#*:}" 2>/dev/null || true
                    break
                fi
                sleep 0.5
            done
            wait "$${lane#*:}" || failed=1
        done
        trap - INT TERM HUP
        for lane in "$${lanes[@]%:*}"; do
            cat "build/$$lane.log"
            if [[ -f build/$$lane.phases ]]; then mapfile -t -O $${#phases[@]} phases <"build/$$lane.phases"; else phases+=("$$lane did not end"); fi
        done
        lanes=()
    }
    summary() {
        local cpu
        cpu=$$(printf '%s\n' "$${phases[@]}" | awk '$$4 == "s" { sum += $$5 } END { print sum + 0 }')
        printf '\n== summary\n'
        printf '%s\n' "$${phases[@]}"
        if [[ -n $${HEADROOM_NOTE:-} ]]; then printf '%s\n' "$${phases[@]}" | sed -nE 's/^([^ ]+) .*[0-9] CPU s, /, \1: /p' | tr -d '\n' >"$$HEADROOM_NOTE"; fi
        printf '%-14s %-7s %4d s %5d CPU s\n' all "$$( ((failed)) && echo FAILED || echo passed )" $$SECONDS "$$cpu"
        printf '%s\n' "$${phases[@]}" | awk -v cpu="$$cpu" -v wall=$$SECONDS '
            $$4 == "s" { list = list (list ? ", " : "") "\"" $$1 "\": {\"cpu_s\": " $$5 ", \"wall_s\": " $$3 "}" }
            END { printf "{\"cpu_s\": %d, \"wall_s\": %d, \"phases\": {%s}}\n", cpu, wall, list }' >build/result.json
        return $$failed
    }
endef

.PHONY: help
help: ## List the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | while IFS=$$'\t' read -r name what; do
	    printf '  make %-20s %s\n' "$$name" "$$what"
	done

.PHONY: install
install: php-extensions vendor/composer/installed.json ## Install what the package needs: PHP extensions, Composer packages

# With "lock" off, `install` takes the newest versions that fit. Some archives hold files that only their owner may read,
# while tests and the demo also run as the users of web servers.
vendor/composer/installed.json: composer.json $(wildcard dev/standins/*/composer.json)
	@$(COMPOSER) install --no-interaction --no-progress --no-plugins
	chmod -R a+rX vendor
	touch $@

.PHONY: php-extensions
php-extensions:
	@command -v $(PHP) >/dev/null || { echo 'make: PHP 8.2 or newer is needed, and $(PHP) is not there. Run as root on Debian: apt-get update && apt-get install -y php-cli' >&2; exit 1; }
	$(PHP) -r 'exit(PHP_VERSION_ID >= 80200 ? 0 : 1);' || { echo "make: PHP 8.2 or newer is needed; this is $$($(PHP) -r 'echo PHP_VERSION;')." >&2; exit 1; }
	command -v $(COMPOSER) >/dev/null || { echo 'make: Composer is needed (https://getcomposer.org). Run as root on Debian: apt-get update && apt-get install -y composer' >&2; exit 1; }
	version=php$$($(PHP) -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
	modules=$$($(PHP) -m)
	missing=()
	for pair in curl:curl dom:xml mbstring:mbstring pdo_sqlite:sqlite3 xmlwriter:xml; do
	    grep -qix "$${pair%%:*}" <<<"$$modules" || missing+=("$$version-$${pair#*:}")
	done
	grep -qix zip <<<"$$modules" || command -v unzip >/dev/null || missing+=(unzip)
	[[ $${#missing[@]} -gt 0 ]] || exit 0
	mapfile -t missing < <(printf '%s\n' "$${missing[@]}" | sort -u)
	if [[ $$EUID -ne 0 ]] || ! command -v apt-get >/dev/null; then
	    echo "make: missing here: $${missing[*]}. Run as root on Debian: apt-get update && apt-get install -y --no-install-recommends $${missing[*]}" >&2
	    exit 1
	fi
	export DEBIAN_FRONTEND=noninteractive
	apt-get -o DPkg::Lock::Timeout=120 update -qq
	apt-get -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends "$${missing[@]}"

# What else these are used with may be left out.
need = bin/services install $(1) || { lacking=$$(bin/services missing $(1)); [[ -z $$lacking ]]; }

.PHONY: servers
servers:
	@code=0
	bin/services install $(SERVERS) $(PROGRAMS) || code=$$?
	# 4: this system has no packages of some.
	if [[ $$code -ne 0 && $$code -ne 4 && $${CI:-} =~ ^(true|1)$$ ]]; then exit 1; fi
	if [[ $$code -ne 0 ]]; then echo 'make: going on without them; the tests that need them are skipped by name.' >&2; fi

.PHONY: test
test: ## Run style, types, imports, tests with real servers, and a smoke test of the main line; `make proof` runs more
	@$(PHASES)
	$(QUICK_SERVERS)
	# .ci/run adds up the logs, also those of a run that ends early.
	rm -f build/phpunit*.log
	phase install $(MAKE) install servers
	if ((failed)); then summary; fi
	plain() {
	    phase unit $(MAKE) phpunit SERVERS= NAME=-unit ARGS='--testsuite architecture,unit'
	    # These wait for timeouts and restarts more than they work.
	    phase collector $(MAKE) phpunit SERVERS= NAME=-collector ARGS='--testsuite collector'
	    phase preload $(MAKE) phpunit SERVERS= NAME=-preload ARGS='--testsuite preload,report'
	    # Last, since PHPStan takes all CPUs, which most other lanes have left by then.
	    phase style $(MAKE) style-check
	    phase types $(MAKE) types
	}
	laravel_phases() {
	    phase contract $(MAKE) phpunit SERVERS= NAME=-contract ARGS='--testsuite contract'
	    phase laravel $(MAKE) phpunit SERVERS= NAME=-laravel ARGS='--testsuite laravel,installed'
	}
	laravel() {
	    serving laravel '$(SERVERS)' laravel_phases
	}
	fault_phases() {
	    # A process of its own: it forks thousands of times, and each copies the map of all memory that tests before it have had.
	    phase fault $(MAKE) phpunit SERVERS= NAME=-fault ARGS='--testsuite fault,collector-fault,traffic'
	    phase queues $(MAKE) phpunit SERVERS= NAME=-queues ARGS='--testsuite queues'
	}
	fault() {
	    serving fault 'mariadb mysql pgsql redis redis-cluster beanstalkd' fault_phases
	}
	acceptance() {
	    phase acceptance $(MAKE) phpunit SERVERS='mariadb mysql pgsql redis clickhouse' NAME=-acceptance ARGS='--testsuite acceptance,index'
	}
	smoke() {
	    phase smoke dev/platforms.sh --smoke
	    phase first-steps $(MAKE) phpunit SERVERS= NAME=-first-steps ARGS='--testsuite first-steps'
	}
	lane smoke
	lane acceptance
	lane laravel
	lane fault
	lane plain
	join
	printf '\n'
	$(PHP) dev/proof.php
	summary

.PHONY: fresh
fresh: ## Run the README's commands on bare Debian 12 and 13 machines; ONLY="trixie:opt bookworm:user" chooses
	@dev/fresh.sh $(ONLY)

.PHONY: platforms
platforms: ## Run the tests on each platform that README names; ONLY=debian13-laravel13 chooses
	@dev/platforms.sh $(ONLY)

# In this order, as the first ones find most.
PROOF_PARTS := whole quiet torture planted platforms fresh

.PHONY: proof
proof: ## Run everything that is to be proven before a release, some hours; ONLY="whole quiet torture planted platforms fresh" chooses
	@$(PHASES)
	commit=$$(git describe --always --dirty --abbrev=12 --exclude='*')
	# part NAME COMMAND...: a green one goes into tests/proof.json with the commit that it began with.
	part() {
	    [[ ' $(or $(ONLY),$(PROOF_PARTS)) ' == *" $$1 "* ]] || return 0
	    local before=$$failed start=$$SECONDS
	    failed=0
	    phase "$$@"
	    if ((! failed)); then $(PHP) dev/proof.php passed "$$1" "$$commit" $$((SECONDS - start)); fi
	    failed=$$((failed | before))
	}
	# ONLY names parts here, and something else to the commands that they run.
	# All tests, samples taken whole, and what is in the group "proof".
	part whole env HEADROOM_PROOF=1 $(MAKE) test
	part quiet $(MAKE) quiet
	# All crash points and disk faults, random kills on each database, and each guard of the protocol removed in turn.
	part torture $(MAKE) torture SECONDS=60
	part planted $(MAKE) planted-faults ONLY=
	part platforms $(MAKE) platforms ONLY=
	part fresh $(MAKE) fresh ONLY=
	summary

.PHONY: quiet
quiet: install servers ## Run the tests that need CPUs which nothing else uses; one that finds none is skipped elsewhere, and fails here
	@env HEADROOM_PROOF=1 $(MAKE) phpunit SERVERS='mariadb mysql pgsql redis' NAME=-quiet ARGS='--group quiet --fail-on-skipped'

.PHONY: test-fast
test-fast: install ## Run style, types and the tests that start no server: some two minutes
	@$(PHASES)
	phase style $(MAKE) style-check
	phase types $(MAKE) types
	phase tests $(MAKE) phpunit SERVERS= NAME=-tests ARGS='--testsuite architecture,unit'
	summary

# Servers that are not installed are left out. Where CI=true the tests that want them fail, except where this system has no
# package of them: `bin/services install` has written those down.
QUICK_SERVERS = $(if $(HEADROOM_PROOF),true,export HEADROOM_QUICK_SERVERS=1)
WITH_SERVERS = present=; [[ -z '$(SERVERS)' ]] || present=$$(bin/services status | awk '$$2 != "not" { print $$1 }' | grep -xE '$(subst $() ,|,$(SERVERS))' || true); \
	export HEADROOM_WITHOUT="$${HEADROOM_WITHOUT:-} $$(paste -sd ' ' build/services/without 2>/dev/null || true)"; \
	run=(); if [[ -n $$present ]]; then run=(bin/services run $$present --); fi
# "Tests: 10, Assertions: 20, Skipped: 3." and what is not installed here, for the summary.
SKIPPED = sed -nE 's/^(OK, but|Tests:).*Skipped: ([0-9]+).*/\2/p' build/phpunit$(NAME).log | tail -n 1 | while read -r number; do \
	missing=$$(bin/services missing $(SERVERS) $(PROGRAMS) | paste -sd ' '); \
	printf ', %s skipped%s' "$$number" "$${missing:+: no $$missing}" >build/$(NAME:-%=%).note; done

.PHONY: phpunit
phpunit: ## Run the tests only, with real servers; ARGS goes to PHPUnit
	@$(QUICK_SERVERS)
	$(WITH_SERVERS)
	mkdir -p build
	code=0
	# A test in the group day-1, day-2 or day-3 has its turn on one day of three.
	seed=$${HEADROOM_SEED:-$$(date -u +%Y%m%d)}
	"$${run[@]}" $(PHPUNIT) $(if $(HEADROOM_PROOF),,--exclude-group proof --exclude-group "day-$$(((seed + 1) % 3 + 1))" --exclude-group "day-$$(((seed + 2) % 3 + 1))") --cache-directory build/phpunit$(NAME) $(ARGS) 2>&1 | tee build/phpunit$(NAME).log || code=$$?
	$(SKIPPED)
	exit $$code

.PHONY: snapshots
snapshots: ## Write tests/Snapshots again: the words that commands print; read the diff before you commit it
	@$(WITH_SERVERS)
	rm -f tests/Snapshots/*.txt
	HEADROOM_PROOF=1 HEADROOM_SNAPSHOTS=write "$${run[@]}" $(PHPUNIT) --group snapshot $(ARGS)

.PHONY: mutate
mutate: install ## Remove each guard of the protocol in turn and see a test turn red
	@$(PHP) dev/mutate-protocol.php

.PHONY: torture
torture: install servers ## Random kills, all crash points, disk faults and mutations on four databases; SECONDS=600 each
	@$(WITH_SERVERS)
	lacking=$$(bin/services missing mariadb mysql pgsql strace | paste -sd ' ')
	if [[ -n $$lacking ]]; then printf ', without %s' "$$lacking" >"$${HEADROOM_NOTE:-/dev/null}"; fi
	HEADROOM_TORTURE_SECONDS='$(or $(SECONDS),600)' "$${run[@]}" $(PHP) dev/torture.php

.PHONY: planted-faults
planted-faults: install ## Break a real stack in each way the doctor knows, one at a time; ONLY="N5" plants what has that in its name
	@$(call need,mariadb redis nginx fpm)
	$(COMPOSER) dump-autoload --optimize --quiet --no-interaction # as a deploy does
	chmod -R a+rX vendor/composer
	$(PHP) dev/planted-faults.php $(if $(ONLY),'$(ONLY)')

.PHONY: architecture
architecture: ## Check sizes, house style, the public API and the documentation's facts
	@$(PHPUNIT) --testsuite architecture

.PHONY: counts
counts: install ## Print the counts of the house with their budgets and aims; WRITE=1 lowers budgets that are too high
	@$(PHP) tests/Architecture/Counts/counts.php $(if $(filter-out 0,$(WRITE)),write)

.PHONY: style
style: ## Fix the code style
	@$(PHP) vendor/bin/pint

.PHONY: wrap
wrap: install ## Wrap PHP lines of more than 120 characters in changed files; PATHS="src tests" names others
	@files='$(PATHS)'
	if [[ -z $$files ]]; then
	    files=$$(git diff --name-only --diff-filter=d HEAD -- '*.php' ':!*.blade.php' ':!*/fixtures/*' ':!*/golden/*'; git ls-files --others --exclude-standard -- '*.php' ':!*.blade.php' ':!*/fixtures/*' ':!*/golden/*')
	fi
	[[ -z $$files ]] || $(PHP) dev/wrap.php $$files

.PHONY: style-check
style-check:
	@# Files that differ from the commit of the last green `make proof`, which has checked all; all in a proof, and under other rules.
	base=$$($(PHP) dev/proof.php commit)
	files=.
	if [[ -z '$(HEADROOM_PROOF)' && -n $$base ]] && git merge-base --is-ancestor "$$base" HEAD 2>/dev/null && git diff --quiet "$$base" -- pint.json; then
	    files=$$(git diff --name-only --diff-filter=d "$$base" -- '*.php' ':!*.blade.php'; git ls-files --others --exclude-standard -- '*.php' ':!*.blade.php')
	fi
	[[ -z $$files ]] || xargs -d '\n' $(PHP) $(COMPILED) vendor/bin/pint --test -v <<<"$$files"

.PHONY: types
types: ## Check types and imports
	@failed=0
	$(PHPSTAN) || failed=1
	$(PHPSTAN) --configuration=phpstan-workbench.neon.dist || failed=1
	exit $$failed

.PHONY: pages
pages: ## Build resources/dist from resources/js; it is committed, so that users need no Node
	@cd resources/js
	npm ci --no-audit --no-fund --loglevel=error
	npm run --silent build

.PHONY: docs
docs: docs/node_modules/.package-lock.json ## Build the documentation's site in build/site, and check its links
	@cd docs
	npm run --silent build

.PHONY: docs-serve
docs-serve: docs/node_modules/.package-lock.json ## Serve the documentation's site on this machine while you write
	@cd docs
	npm run --silent dev

docs/node_modules/.package-lock.json: docs/package.json docs/package-lock.json
	@major=$$(node --version 2>/dev/null | sed -E 's/^v([0-9]+).*/\1/' || true)
	if [[ $${major:-0} -lt 18 ]] || ! command -v npm >/dev/null; then
	    echo 'make: Node.js 18 or newer and npm are needed. Run as root on Debian: apt-get update && apt-get install -y nodejs npm' >&2
	    exit 1
	fi
	cd docs
	npm ci --no-audit --no-fund --loglevel=error
	touch node_modules/.package-lock.json

.PHONY: demo
demo: install ## Put load on a synchronous and a buffered endpoint and compare
	@$(PHP) workbench/demo.php

# What each experiment printed.
BENCH_LOGS := build/bench

.PHONY: bench
bench: install ## Run every experiment, one after the other, and build benchmarks/results/index.html; QUICK=1 takes some twelve minutes
	@$(PHASES)
	mkdir -p '$(BENCH_LOGS)'
	rm -f '$(BENCH_LOGS)'/*.log
	# One after the other, because they measure the whole machine. Stdout has the RESULT lines.
	measured() {
	    $(MAKE) "bench-$$1" QUICK='$(QUICK)' PART="$${2:-}" | tee '$(BENCH_LOGS)'/"$$1.log"
	}
	# The short form measures the parts that the page of all experiments shows.
	quick() {
	    [[ -z '$(filter-out 0,$(QUICK))' ]] || printf '%s' "$$1"
	}
	phase write-buffer measured write-buffer "$$(quick contended)"
	phase bottleneck measured bottleneck "$$(quick stages)"
	phase queues measured queues "$$(quick empty)"
	phase preload measured preload
	phase collector measured collector "$$(quick figures,slow)"
	phase load measured load
	phase logs measured logs
	phase page $(MAKE) bench-index QUICK='$(QUICK)'
	summary || true
	$(PHP) benchmarks/result-lines.php '$(BENCH_LOGS)' write-buffer bottleneck queues preload collector load logs
	exit $$failed

.PHONY: bench-index
bench-index: install ## Build the pages of benchmarks/results again, from the results that are there; QUICK=1 from quick ones
	@QUICK='$(QUICK)' $(PHP) benchmarks/render.php

.PHONY: bench-write-buffer
bench-write-buffer: install servers ## Measure the write buffer; QUICK=1 is shorter, PART=flush,memory,scan runs parts
	@$(COMPOSER) dump-autoload --optimize --quiet --no-interaction # as a deploy does
	chmod -R a+rX vendor/composer
	QUICK='$(QUICK)' PART='$(PART)' bin/services run mariadb pgsql redis -- $(PHP) benchmarks/write-buffer/run.php

.PHONY: bench-collector
bench-collector: install ## Measure the collector; QUICK=1 is shorter, PART=durable,reload runs parts
	@$(call need,nginx fpm wrk)
	$(COMPOSER) dump-autoload --optimize --quiet --no-interaction # as a deploy does
	chmod -R a+rX vendor/composer
	run=($(PHP) benchmarks/collector/run.php)
	if bin/services install opensearch; then run=(bin/services run opensearch -- "$${run[@]}"); fi
	QUICK='$(QUICK)' PART='$(PART)' "$${run[@]}"

.PHONY: bench-bottleneck
bench-bottleneck: install ## Stall a real stack, let the doctor name the cause, apply its fixes; QUICK=1 is shorter
	@$(call need,nginx fpm redis)
	$(COMPOSER) dump-autoload --optimize --quiet --no-interaction # as a deploy does
	chmod -R a+rX vendor/composer
	# In a PID namespace of its own where this user may have one: the doctor reports each nginx and PHP-FPM that it sees.
	alone=(unshare --fork --pid --mount-proc --kill-child)
	"$${alone[@]}" true 2>/dev/null || alone=()
	QUICK='$(QUICK)' PART='$(PART)' "$${alone[@]}" $(PHP) benchmarks/bottleneck/run.php

.PHONY: bench-logs
bench-logs: install ## Measure the speed and memory of reading logs; QUICK=1 reads smaller ones
	@QUICK='$(QUICK)' $(PHP) benchmarks/logs/run.php

.PHONY: bench-load
bench-load: install ## Measure how fast load sends, against wrk and hey, and its percentiles; QUICK=1 is shorter
	@$(call need,nginx wrk)
	# Not each system has it. Without it the benchmark leaves the comparison out and says so.
	bin/services install hey || true
	QUICK='$(QUICK)' $(PHP) benchmarks/load/run.php

.PHONY: bench-preload
bench-preload: install ## Measure what preloading gains; QUICK=1 is shorter
	@$(call need,nginx fpm)
	$(COMPOSER) dump-autoload --optimize --quiet --no-interaction # as a deploy does
	chmod -R a+rX vendor/composer
	QUICK='$(QUICK)' $(PHP) benchmarks/preload/run.php

.PHONY: bench-queues
bench-queues: install ## Compare queue drivers with real workers; QUICK=1 is shorter, PART=empty,deep runs parts
	@$(call need,mariadb pgsql redis beanstalkd)
	$(COMPOSER) dump-autoload --optimize --quiet --no-interaction # as a deploy does
	chmod -R a+rX vendor/composer
	QUICK='$(QUICK)' PART='$(PART)' $(PHP) benchmarks/queues/run.php

.PHONY: bench-durability
bench-durability: install ## Measure what the levels of durability cost; DIR=... for another disk, QUICK=1
	@QUICK='$(QUICK)' $(PHP) benchmarks/durability/run.php $(DIR)

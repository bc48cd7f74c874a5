<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm;

use Headroom\Doctor\CheckText;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\Config\PoolSettings;
use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Fpm\Runtime\ApplicationRoots;
use Headroom\Doctor\Fpm\Runtime\NextPreload;
use Headroom\Doctor\Fpm\Runtime\PoolRuntime;
use Headroom\Doctor\Fpm\Runtime\PreloadLog;
use Headroom\Doctor\Fpm\Runtime\RuntimeProbe;
use Headroom\Doctor\Fpm\Runtime\RuntimeReader;
use Headroom\Doctor\Fpm\Status\PoolProcess;
use Headroom\Doctor\Fpm\Status\PoolStatus;
use Headroom\Doctor\Fpm\Status\StatusPage;
use Headroom\Doctor\Kernel\Process\ChildrenMemory;
use Headroom\Doctor\Kernel\Process\ControlGroup;
use Headroom\Doctor\Kernel\Process\ProcessLimits;
use Headroom\Doctor\Kernel\Sockets\AcceptQueue;
use Headroom\Doctor\Kernel\Sockets\ListenSockets;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\UnableToQueryPool;

/**
 * A pool of a running PHP-FPM: its configuration, and facts from its status page, the kernel and its workers, read on
 * demand.
 *
 * @internal
 */
final readonly class FpmPool
{
    /** For a PHP-FPM with an unknown process and unit. */
    public const RELOAD_OF_ANOTHER = 'sudo php-fpm -t && sudo systemctl reload php-fpm   # by its name there';

    private const RESTART_OF_ANOTHER = 'sudo php-fpm -t && sudo systemctl restart php-fpm   # by its name there';

    /** @var LazyFact<PoolStatus> */
    private LazyFact $status;

    /** @var LazyFact<PoolRuntime> */
    private LazyFact $runtime;

    /** @var LazyFact<AcceptQueue> */
    private LazyFact $queue;

    /**
     * @param ?string $whyNotEffective the reason why the settings are those of the files, without FPM's defaults
     * @param bool $isWhole false if a part of its configuration was not read, which may contain missing settings
     */
    public function __construct(
        public RunningMaster $master,
        public PoolSettings $settings,
        public PoolSettings $global,
        public ?string $whyNotEffective,
        private StatusPage $page = new StatusPage,
        private RuntimeReader $probe = new RuntimeProbe,
        private ?ListenSockets $sockets = null,
        public bool $isWhole = true,
    ) {
        $sockets ??= ListenSockets::ofThisMachine();
        $this->status = new LazyFact(fn (): PoolStatus => $page->read($this->statusAddress(), $this->statusPath()));
        $this->runtime = new LazyFact(
            fn (): PoolRuntime => $this->hasRoom() ? $this->probe->ask($this->address()) : throw $this->isFull(),
        );
        $this->queue = new LazyFact(fn (): AcceptQueue => PoolAcceptQueue::fullest($this, $sockets));
    }

    /** The same pool, without cached facts. */
    public function again(): self
    {
        return new self(
            $this->master,
            $this->settings,
            $this->global,
            $this->whyNotEffective,
            $this->page,
            $this->probe,
            $this->sockets,
            $this->isWhole,
        );
    }

    public function name(): string
    {
        return $this->settings->name;
    }

    /** @throws FactUnavailable */
    public function setting(string $name): PhpSetting
    {
        $why = match (true) {
            ! $this->master->isSeen => ': only its address is known.',
            $this->whyNotEffective !== null => ", as only its files could be read: {$this->whyNotEffective}",
            default => '.',
        };

        return $this->settings->setting($name)
            ?? throw FactUnavailable::because("The pool {$this->name()} does not tell {$name}{$why}", $this->dump());
    }

    /** @throws FactUnavailable */
    public function integer(string $name): int
    {
        return $this->setting($name)->integer() ?? throw FactUnavailable::because(
            "{$name} of the pool {$this->name()} is '{$this->setting($name)->value}', which is not a number.",
            $this->dump(),
        );
    }

    /** @throws FactUnavailable */
    public function seconds(string $name): int
    {
        return $this->setting($name)->seconds() ?? throw FactUnavailable::because(
            "{$name} of the pool {$this->name()} is '{$this->setting($name)->value}', which is not a time.",
            $this->dump(),
        );
    }

    /**
     * Null if it is not set.
     *
     * @throws FactUnavailable if it is not known
     */
    public function text(string $name): ?string
    {
        return $this->master->isSeen ? $this->settings->text($name) : $this->setting($name)->value;
    }

    public function evidence(string $name): Evidence
    {
        $setting = $this->settings->setting($name);
        $ifUnset = match (true) {
            ! $this->master->isSeen => 'only its own machine tells',
            $this->whyNotEffective !== null => 'not in its files',
            default => 'php-fpm -tt',
        };

        return new Evidence(
            $name,
            $setting?->isSet() === true ? $setting->value : ($this->master->isSeen ? 'not set' : 'not known'),
            $setting->origin ?? $ifUnset,
        );
    }

    /** @param string $address in the format of fastcgi_pass */
    public function listensAt(string $address): bool
    {
        // The addresses that lead into a container are unknown.
        if ($this->master->isSeen && $this->master->isElsewhere) {
            return false;
        }

        try {
            return $this->address()->isSameAs(Address::parse($address));
        } catch (UnableToQueryPool) {
            return false;
        }
    }

    /**
     * The command that prints its settings, for any name of the program.
     *
     * @param string $lines a pattern for grep; '' for all
     */
    public function dump(string $lines = ''): string
    {
        // php-fpm -tt prints to stderr.
        $only = $lines === '' ? '' : " 2>&1 | grep {$lines}";

        return $this->master->isSeen
            ? "sudo /proc/{$this->master->pid}/exe -tt -y ".escapeshellarg($this->master->configFile).$only
            : "sudo php-fpm -tt{$only}   # where the pool runs";
    }

    /** The reload; a new backlog needs a restart. */
    public function reload(): string
    {
        return $this->master->isSeen ? $this->master->reload() : self::RELOAD_OF_ANOTHER;
    }

    /** The command that restarts it, for a new listen socket or php.ini. */
    public function restart(): string
    {
        return $this->master->isSeen ? $this->master->restart() : self::RESTART_OF_ANOTHER;
    }

    /**
     * Whether the current or last script of one of its processes is below that directory. A release is often reached
     * through a link.
     *
     * @throws FactUnavailable
     */
    public function serves(string $directory): bool
    {
        $processes = $this->status()->processes ?? throw FactUnavailable::because(
            "The status page of the pool {$this->name()} does not report its processes.",
            $this->dump('status_path'),
        );
        $below = (string) realpath($directory).'/';

        return array_filter(
            $processes,
            static fn (PoolProcess $process): bool => $process->script !== null
                && str_starts_with((string) realpath($process->script), $below),
        ) !== [];
    }

    /**
     * Its listen queue of a Unix socket is always 0; queue() has the true one.
     *
     * @throws FactUnavailable
     */
    public function status(): PoolStatus
    {
        return $this->status->get();
    }

    /** @throws FactUnavailable */
    public function runtime(): PoolRuntime
    {
        return $this->runtime->get();
    }

    /**
     * The applications that its PHP-FPM has run, in any of its pools.
     *
     * @param list<string> $documentRoots that nginx sends to it
     *
     * @throws FactUnavailable
     */
    public function roots(array $documentRoots): ApplicationRoots
    {
        return (new LazyFact(fn (): ApplicationRoots => $this->hasRoom() ? $this->probe->roots(
            $this->address(),
            $documentRoots,
        ) : throw $this->isFull()))->get();
    }

    /**
     * The preload settings for the next start of its PHP-FPM.
     *
     * @throws FactUnavailable
     */
    public function nextPreload(): NextPreload
    {
        $this->mustBeSeen();

        return NextPreload::of($this->master, $this->runtime());
    }

    /** The user of its processes, if root has started them. */
    public function user(): ?string
    {
        return $this->settings->text('user');
    }

    /**
     * @return list<Evidence> what a script of headroom preload said last of why it preloads nothing,
     *     where a log can be read
     */
    public function preloadMessages(): array
    {
        $logs = [$this->runtime()->ini('error_log')->value ?? '', $this->global->text('error_log') ?? ''];

        return PreloadLog::last(array_values(array_filter($logs, $this->master->hasHere(...))));
    }

    /** @throws FactUnavailable */
    public function queue(): AcceptQueue
    {
        return $this->queue->get();
    }

    /**
     * The memory of its present children; a pool with pm = ondemand may have none.
     *
     * @throws FactUnavailable if children exist and none could be read
     */
    public function memory(): ChildrenMemory
    {
        $this->mustBeSeen();
        $memory = ChildrenMemory::of($this->master->children()[$this->settings->name] ?? []);
        $failure = $memory->failures[0] ?? null;

        return $memory->measured === [] && $failure !== null
            ? throw FactUnavailable::because($failure->getMessage(), $failure->command)
            : $memory;
    }

    /** @throws FactUnavailable */
    public function log(): FpmLog
    {
        $this->mustBeSeen();

        return FpmLog::of($this->master, $this->global, $this->dump("-e 'error_log =' -e 'log_level ='"));
    }

    /** @throws FactUnavailable */
    public function limits(): ProcessLimits
    {
        $this->mustBeSeen();

        return (new LazyFact(fn (): ProcessLimits => ProcessLimits::of($this->master->pid)))->get();
    }

    /** @throws FactUnavailable */
    public function group(): ControlGroup
    {
        $this->mustBeSeen();

        return (new LazyFact(fn (): ControlGroup => ControlGroup::of($this->master->pid)))->get();
    }

    /** @throws UnableToQueryPool */
    public function address(): Address
    {
        return $this->master->address($this->settings->text('listen') ?? '');
    }

    /**
     * With pm.status_listen the page has a worker of its own, and answers while all others are busy.
     *
     * @throws UnableToQueryPool
     */
    private function statusAddress(): Address
    {
        $own = $this->settings->text('pm.status_listen');

        return $own === null ? $this->address() : $this->master->address($own);
    }

    /**
     * A script for a full pool would wait among the requests of users, and run after the doctor's timeout.
     */
    private function hasRoom(): bool
    {
        try {
            if ($this->queue()->waiting > 0) {
                return false;
            }

            // Without a process of its own the page would wait too.
            return $this->settings->text('pm.status_listen') === null
                || ($this->status()->idleProcesses ?? 1) > 0
                || ($this->status()->totalProcesses ?? 0)
                    < ($this->settings->integer('pm.max_children') ?? PHP_INT_MAX);
        } catch (FactUnavailable) {
            return true;
        }
    }

    private function isFull(): FactUnavailable
    {
        return FactUnavailable::because(
            "All processes of the pool {$this->name()} are busy, so the doctor sends it no script.",
            CheckText::command('F2', 'F6', 'N5'),
        );
    }

    /** @throws FactUnavailable */
    private function mustBeSeen(): void
    {
        if (! $this->master->isSeen) {
            throw FactUnavailable::because(
                "The processes of the pool at {$this->address()->text()} run in a container or on another machine.",
                'sudo headroom doctor   # where the pool runs',
            );
        }
    }

    /**
     * @throws FactUnavailable
     * @throws UnableToQueryPool
     */
    private function statusPath(): string
    {
        $path = $this->settings->text('pm.status_path');

        if ($path === null && ! $this->master->isSeen) {
            // It may have been full during the search for its page, and may answer now.
            return $this->page->find($this->address()) ?? throw FactUnavailable::because(
                "The pool at {$this->address()->text()} has a status page at none of the usual paths: "
                    .implode(', ', StatusPage::USUAL).'.',
                $this->dump('status_path'),
            );
        }

        return $path ?? throw FactUnavailable::because(
            "The pool {$this->name()} has no pm.status_path, so it cannot report its busy workers. Set pm.status_path"
                ." = /fpm-status in its section ({$this->master->configFile} or a file that it includes).",
            $this->reload(),
        );
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\Config\PoolSettings;
use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Fpm\Runtime\NextPreload;
use Headroom\Doctor\Fpm\Runtime\PoolRoots;
use Headroom\Doctor\Fpm\Runtime\PoolRuntime;
use Headroom\Doctor\Fpm\Runtime\PreloadLog;
use Headroom\Doctor\Fpm\Runtime\Runtime;
use Headroom\Doctor\Fpm\Runtime\RuntimeProbe;
use Headroom\Doctor\Fpm\Status\PoolProcess;
use Headroom\Doctor\Fpm\Status\PoolStatus;
use Headroom\Doctor\Fpm\Status\StatusPage;
use Headroom\Doctor\Kernel\Process\ChildrenMemory;
use Headroom\Doctor\Kernel\Process\ControlGroup;
use Headroom\Doctor\Kernel\Process\ProcessLimits;
use Headroom\Doctor\Kernel\Sockets\AcceptQueue;
use Headroom\Doctor\Kernel\Sockets\ListenSockets;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\UnableToAsk;

/**
 * A pool of a PHP-FPM that runs: what it is told to do, and what it, the kernel and its workers say when a check asks.
 *
 * @internal
 */
final readonly class FpmPool
{
    /** Of one of which neither the process nor the name of its unit is known. */
    public const RELOAD_OF_ANOTHER = 'sudo php-fpm -t && sudo systemctl reload php-fpm   # by its name there';

    private const RESTART_OF_ANOTHER = 'sudo php-fpm -t && sudo systemctl restart php-fpm   # by its name there';

    /** @var Lazy<PoolStatus> */
    private Lazy $status;

    /** @var Lazy<PoolRuntime> */
    private Lazy $runtime;

    /** @var Lazy<AcceptQueue> */
    private Lazy $queue;

    /**
     * @param ?string $whyNotEffective why the settings are only those that the files say, without FPM's defaults
     * @param bool $isWhole false where a part of its configuration was not read: what is not set here may be set there
     */
    public function __construct(
        public RunningMaster $master,
        public PoolSettings $settings,
        public PoolSettings $global,
        public ?string $whyNotEffective,
        private StatusPage $page = new StatusPage,
        private Runtime $probe = new RuntimeProbe,
        private ?ListenSockets $sockets = null,
        public bool $isWhole = true,
    ) {
        $sockets ??= ListenSockets::ofThisMachine();
        $this->status = new Lazy(fn (): PoolStatus => $this->page->read($this->statusAddress(), $this->statusPath()));
        $this->runtime = new Lazy(
            fn (): PoolRuntime => $this->hasRoom() ? $this->probe->ask($this->address()) : throw $this->isFull(),
        );
        $this->queue = new Lazy(fn (): AcceptQueue => PoolAcceptQueue::fullest($this, $sockets));
    }

    /** The same pool, with nothing asked yet. */
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
            "{$name} of the pool {$this->name()} is '{$this->setting($name)->value}', which is no number.",
            $this->dump(),
        );
    }

    /** @throws FactUnavailable */
    public function seconds(string $name): int
    {
        return $this->setting($name)->seconds() ?? throw FactUnavailable::because(
            "{$name} of the pool {$this->name()} is '{$this->setting($name)->value}', which is no time.",
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

        $unsaid = match (true) {
            ! $this->master->isSeen => 'only its own machine tells',
            $this->whyNotEffective !== null => 'not in its files',
            default => 'php-fpm -tt',
        };

        return new Evidence(
            $name,
            $setting?->isSet() === true ? $setting->value : ($this->master->isSeen ? 'not set' : 'not known'),
            $setting->origin ?? $unsaid,
        );
    }

    /** @param string $address as nginx's fastcgi_pass spells it */
    public function listensAt(string $address): bool
    {
        // Of a container it is not known which addresses lead into it.
        if ($this->master->isSeen && $this->master->isElsewhere) {
            return false;
        }

        try {
            return $this->address()->isSameAs(Address::parse($address));
        } catch (UnableToAsk) {
            return false;
        }
    }

    /**
     * The command that prints all of its settings, under any name of the program.
     *
     * @param string $lines as grep is told which; '' for all
     */
    public function dump(string $lines = ''): string
    {
        // It prints them where errors go.
        $only = $lines === '' ? '' : " 2>&1 | grep {$lines}";

        return $this->master->isSeen
            ? "sudo /proc/{$this->master->pid}/exe -tt -y ".escapeshellarg($this->master->configFile).$only
            : "sudo php-fpm -tt{$only}   # where the pool runs";
    }

    /** That has it read its configuration again; a new backlog takes a restart. */
    public function reload(): string
    {
        return $this->master->isSeen ? $this->master->reload() : self::RELOAD_OF_ANOTHER;
    }

    /** That has it listen again, and read php.ini. */
    public function restart(): string
    {
        return $this->master->isSeen ? $this->master->restart() : self::RESTART_OF_ANOTHER;
    }

    /**
     * Whether a process of it works on a script below that directory, or did last. A release is often reached by a
     * link.
     *
     * @throws FactUnavailable
     */
    public function serves(string $directory): bool
    {
        $processes = $this->status()->processes ?? throw FactUnavailable::because(
            "The status page of the pool {$this->name()} does not tell what its processes do.",
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
     * Of a unix socket the listen queue in it is always 0: queue() tells it.
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
     * Where applications are that its PHP-FPM has run, whichever of its pools did.
     *
     * @param list<string> $documentRoots that nginx sends to it for
     *
     * @throws FactUnavailable
     */
    public function roots(array $documentRoots): PoolRoots
    {
        return (new Lazy(fn (): PoolRoots => $this->hasRoom() ? $this->probe->roots(
            $this->address(),
            $documentRoots,
        ) : throw $this->isFull()))->get();
    }

    /**
     * What its PHP-FPM will be told to preload when it is started the next time.
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
     * Of the children there are now: a pool with pm = ondemand may have none.
     *
     * @throws FactUnavailable when children are there and none could be read
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

        return (new Lazy(fn (): ProcessLimits => ProcessLimits::of($this->master->pid)))->get();
    }

    /** @throws FactUnavailable */
    public function group(): ControlGroup
    {
        $this->mustBeSeen();

        return (new Lazy(fn (): ControlGroup => ControlGroup::of($this->master->pid)))->get();
    }

    /** @throws UnableToAsk */
    public function address(): Address
    {
        return $this->master->address($this->settings->text('listen') ?? '');
    }

    /**
     * With pm.status_listen the page has a worker of its own and answers while all others are busy.
     *
     * @throws UnableToAsk
     */
    private function statusAddress(): Address
    {
        $own = $this->settings->text('pm.status_listen');

        return $own === null ? $this->address() : $this->master->address($own);
    }

    /**
     * A script that is sent to a full pool would wait among the requests of users,
     * and run after the doctor has given up.
     */
    private function hasRoom(): bool
    {
        try {
            if ($this->queue()->waiting > 0) {
                return false;
            }

            // Without a process of its own the page would wait as well.
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
            "All processes of the pool {$this->name()} are taken, so none is asked.",
            'headroom doctor --only=F2 --only=F6 --only=N5',
        );
    }

    /** @throws FactUnavailable */
    private function mustBeSeen(): void
    {
        if (! $this->master->isSeen) {
            throw FactUnavailable::because(
                "The processes of the pool at {$this->address()->text()} do not run where the doctor does.",
                'sudo headroom doctor   # where the pool runs',
            );
        }
    }

    /**
     * @throws FactUnavailable
     * @throws UnableToAsk
     */
    private function statusPath(): string
    {
        $path = $this->settings->text('pm.status_path');

        if ($path === null && ! $this->master->isSeen) {
            // It may have been full when its page was looked for, and may answer now.
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

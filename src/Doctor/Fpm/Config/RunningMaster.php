<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Config;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Host\ServiceCommands;
use Headroom\Process\Proc;
use Headroom\Process\ProcessFiles;

/**
 * A running PHP-FPM of this machine, found by the process title of its master.
 *
 * @internal
 */
final readonly class RunningMaster
{
    private const MASTER = '/\Aphp-fpm: master process \((.+)\)\s*\z/s';

    private const POOL = '/\Aphp-fpm: pool (\S.*?)\s*\z/s';

    private const DELETED = ' (deleted)';

    /**
     * @param string $key identifies it: its pid, or the address of a pool of which only that is known
     * @param int $pid 0 if it is not visible
     * @param ?string $binary null without permission
     * @param string $configFile from its title
     * @param bool $isElsewhere whether its file system is another one, as in a container, or unknown
     * @param bool $isSeen whether it is a visible process; otherwise only the address of a pool is known
     */
    private function __construct(
        public string $key,
        public int $pid,
        public string $configFile,
        public ?string $binary,
        public bool $isElsewhere,
        private Proc $proc,
        public bool $isSeen = true,
        private ?ProcessFiles $files = null,
    ) {}

    /** A PHP-FPM in a container or on another machine. Whether two addresses belong to one is unknown. */
    public static function unseen(Address $address): self
    {
        return new self($address->text(), 0, '', null, true, new Proc, false);
    }

    /** @return list<self> */
    public static function all(KernelFiles $files = new KernelFiles, Proc $proc = new Proc): array
    {
        $masters = [];

        foreach ($files->pids() as $pid) {
            $line = $proc->commandLine($pid);

            if (preg_match(self::MASTER, $line[0] ?? '', $m) === 1 && ! $proc->isFreshFork($pid, $line)) {
                $its = $proc->files($pid);
                $isElsewhere = $its?->isElsewhere() !== false;
                $binary = $files->target("/proc/{$pid}/exe");
                $masters[] = new self((string) $pid, $pid, $m[1], $binary, $isElsewhere, $proc, files: $its);
            }
        }

        return $masters;
    }

    /**
     * The running program, which is not always the one in PATH. The doctor does not run the program of another user
     * with its own permissions, nor read the files that it names: php-fpm -tt opens and creates the logs in them.
     *
     * @throws FactUnavailable
     */
    public function program(): string
    {
        return match (true) {
            $this->files === null,
            $this->isElsewhere => throw UnreadableConfig::elsewhere($this->pid, $this->configFile),
            ! $this->proc->isOurs($this->pid) => throw UnreadableConfig::foreign(
                $this->pid,
                $this->proc->owner($this->pid),
            ),
            // A program that this process starts would read files of this file system.
            ! $this->files->agreeBelow(dirname($this->file()))
                => throw UnreadableConfig::elsewhere($this->pid, $this->configFile),
            $this->binary
                === null => throw UnreadableConfig::noBinary($this->pid, 'only the same user or root can see it'),
            str_ends_with($this->binary, self::DELETED) => throw UnreadableConfig::noBinary(
                $this->pid,
                substr($this->binary, 0, -strlen(self::DELETED)).' was replaced since it started; restart PHP-FPM',
            ),
            ! $this->proc->mayRun(
                $this->pid,
                $this->binary,
            ) => throw UnreadableConfig::changeable($this->binary, $this->configFile),
            default => $this->binary,
        };
    }

    /** @throws FactUnavailable */
    public function writtenConfig(): FpmConfig
    {
        return match (true) {
            $this->files === null => throw UnreadableConfig::elsewhere($this->pid, $this->configFile),
            ! $this->proc->isOurs($this->pid) => throw UnreadableConfig::foreign(
                $this->pid,
                $this->proc->owner($this->pid),
            ),
            default => $this->checked(FpmConfigFiles::read($this->file(), $this->files, $this->prefix())),
        };
    }

    /**
     * The configuration file of its command line, as a path of this file system.
     *
     * @throws FactUnavailable
     */
    public function file(): string
    {
        return $this->files?->path($this->configFile)
            ?? throw UnreadableConfig::relative($this->pid, $this->configFile);
    }

    /** Whether a path of this file system is its file of that name. */
    public function hasHere(string $path): bool
    {
        return $this->files?->path($path) === $path;
    }

    /**
     * The address of one of its pools, from this machine.
     *
     * @throws UnableToQueryPool
     */
    public function address(string $listen): Address
    {
        $address = Address::parse($listen);

        return match (true) {
            ! $this->isSeen, ! $this->isElsewhere => $address,
            $address->isUnix() => Address::parse($this->files?->path($listen) ?? $listen),
            // A port in a container is not the same port on this machine.
            $this->proc->sharesNetwork($this->pid) !== true => throw UnableToQueryPool::elsewhere($address, $this->pid),
            default => $address,
        };
    }

    /**
     * The title has neither -p nor -c, and files may have changed since the start. Then the running pools differ.
     *
     * @throws FactUnavailable
     */
    public function checked(FpmConfig $config): FpmConfig
    {
        $names = array_map(strval(...), array_keys($config->pools));
        // pm.status_listen creates a pool of its own.
        $known = [...$names, ...array_map(static fn (string $name): string => "{$name}_status", $names)];
        $strange = array_diff(array_map(strval(...), array_keys($this->children())), $known);

        return $strange === []
            ? $config
            : throw UnreadableConfig::otherPools($this->pid, array_values($strange)[0], $this->configFile);
    }

    /** The prefix of php-fpm, if its program is in the place of `make install`; null if that is not visible. */
    private function prefix(): ?string
    {
        $program = $this->binary === null ? '' : dirname($this->binary);

        return in_array(basename($program), ['sbin', 'bin'], true) ? dirname($program) : null;
    }

    /** The command that tests the configuration, if it is readable, and reloads. */
    public function reload(): string
    {
        $start = $this->start();

        return $this->commands()->reload([...$start, '-t'], 'USR2');
    }

    /** The command that restarts it, for a new listen socket or php.ini. */
    public function restart(): string
    {
        $start = $this->start();

        return $this->commands()->restart([...$start, '-t'], $start);
    }

    private function commands(): ServiceCommands
    {
        return new ServiceCommands($this->pid, $this->proc);
    }

    /** @return non-empty-list<string> */
    private function start(): array
    {
        $commands = $this->commands();
        $isThere = $this->binary !== null && ! str_ends_with($this->binary, self::DELETED);

        return [
            $commands->program($isThere ? $this->binary : null, "/proc/{$this->pid}/exe"),
            '-y',
            $commands->path($this->configFile),
        ];
    }

    /** Its owner; null if it is not known. */
    public function owner(): ?int
    {
        return $this->isSeen ? $this->proc->owner($this->pid) : null;
    }

    /** @return array<string, list<int>> pids of the children by pool */
    public function children(): array
    {
        $pools = [];

        // Processes of the kernel are children of 0.
        foreach ($this->isSeen ? array_keys($this->proc->children($this->pid)) : [] as $pid) {
            if (preg_match(self::POOL, self::title($pid, $this->proc), $m) === 1) {
                $pools[$m[1]][] = $pid;
            }
        }

        return $pools;
    }

    private static function title(int $pid, Proc $proc): string
    {
        return $proc->commandLine($pid)[0] ?? '';
    }
}

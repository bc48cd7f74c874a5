<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Process;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fix;

/**
 * The open files of a process and how many it may open.
 *
 * @internal
 */
final readonly class OpenFileLimit
{
    private const AT_LEAST = 65_536;

    /**
     * @param int $limit the present one; PHP_INT_MAX for none
     * @param int $hard only root can exceed it, and in a container not even root
     */
    public function __construct(
        public ServerProcess $process,
        public int $open,
        public int $limit,
        private int $hard,
    ) {}

    /** @throws FactUnavailable */
    public static function of(ServerProcess $process): self
    {
        $limits = $process->limits();

        return new self($process, $process->openFiles(), $limits->openFiles(), $limits->mostOpenFiles());
    }

    public function share(): float
    {
        return $this->open / max(1, $this->limit);
    }

    public function evidence(): Evidence
    {
        return new Evidence(
            "open files of {$this->process->name()}",
            $this->limit === PHP_INT_MAX ? "{$this->open}, without a limit" : "{$this->open} of {$this->limit}",
            "/proc/{$this->process->pid}/limits and fd",
        );
    }

    /** A higher limit of the running process, by prlimit(1), and of the next one, by its unit. */
    public function raised(): Fix
    {
        $pid = $this->process->pid;
        $wanted = max(self::AT_LEAST, 2 * $this->limit);
        // SOFT: leaves the hard limit as it is.
        [$now, $before] = $this->hard >= 2 * $this->limit
            ? [min($wanted, $this->hard).':', "{$this->limit}:"]
            : ["{$wanted}:{$wanted}", "{$this->limit}:{$this->hard}"];

        return new Fix(
            commands: [
                "sudo prlimit --pid {$pid} --nofile={$now}",
                "sudo systemctl edit {$this->process->program}   # [Service], LimitNOFILE={$wanted}; by the name of its"
                    .' unit',
            ],
            rollback: "Remove the line from the unit, then run: sudo prlimit --pid {$pid} --nofile={$before}",
            verify: "grep 'open files' /proc/{$pid}/limits",
        );
    }
}

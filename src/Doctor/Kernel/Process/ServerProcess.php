<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Process;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\KernelFiles;

/**
 * A process of a server, by the name of its program.
 *
 * @internal
 */
final readonly class ServerProcess
{
    public function __construct(
        public string $program,
        public int $pid,
        private KernelFiles $files = new KernelFiles,
    ) {}

    /** Several of one name are named with their pid. */
    public function name(): string
    {
        return "{$this->program} {$this->pid}";
    }

    public function isThere(): bool
    {
        return $this->files->has("/proc/{$this->pid}");
    }

    /** @throws FactUnavailable */
    public function limits(): ProcessLimits
    {
        return ProcessLimits::of($this->pid, $this->files);
    }

    /**
     * Its open descriptors, which only root and its own user can count.
     *
     * @throws FactUnavailable
     */
    public function openFiles(): int
    {
        return $this->files->entries("/proc/{$this->pid}/fd");
    }

    /** @return ?string the file that counts how often its CPU quota held it up; null: it has none */
    public function quota(): ?string
    {
        return ControlGroup::of($this->pid, $this->files)->throttled;
    }
}

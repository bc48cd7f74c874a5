<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

/**
 * A started process, and the channel to it.
 *
 * @internal
 */
final class ProcessHandle
{
    private ?ProcessExit $exit = null;

    public function __construct(
        public readonly int $pid,
        public readonly ?Channel $channel,
        private readonly ProcessControl $control,
    ) {}

    /** A process that was reaped gets no signal: its pid may belong to another process. */
    public function signal(int $signal): void
    {
        if ($this->exit === null) {
            $this->control->signal($this->pid, $signal);
        }
    }

    /** @return ?ProcessExit null while the process runs */
    public function exit(): ?ProcessExit
    {
        return $this->exit ??= $this->control->reap($this->pid);
    }
}

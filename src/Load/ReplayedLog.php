<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * What was read of a log that is replayed.
 */
final class ReplayedLog
{
    public int $lines = 0;

    /** Those that can be sent, whether or not they were. */
    public int $requests = 0;

    /** @var array<string, int> by method, or by what else kept a request from being sent */
    public array $leftOut = [];

    /** @var array<string, int> by what is wrong with them */
    public array $unreadable = [];

    /** Why it was not read to its end. */
    public ?string $trouble = null;

    /** @internal */
    public function leaveOut(string $why): void
    {
        $this->leftOut[$why] = ($this->leftOut[$why] ?? 0) + 1;
    }

    /** @internal */
    public function couldNotRead(string $why): void
    {
        $this->unreadable[$why] = ($this->unreadable[$why] ?? 0) + 1;
    }

    /** @return array<string, mixed> see docs/load.md */
    public function toArray(): array
    {
        return [
            'lines' => $this->lines,
            'requests' => $this->requests,
            'left_out' => (object) $this->leftOut,
            'unreadable' => (object) $this->unreadable,
            'trouble' => $this->trouble,
        ];
    }
}

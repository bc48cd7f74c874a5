<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

/**
 * The lines of a replayed log.
 */
final class ReplaySummary
{
    public int $lines = 0;

    /** Lines with a request that can be sent. */
    public int $requests = 0;

    /** @var array<string, int> requests that are not sent, by method or other reason */
    public array $leftOut = [];

    /** @var array<string, int> lines that were not parsed, by reason */
    public array $unreadable = [];

    /** The reason why the log was not read to its end. */
    public ?string $trouble = null;

    /** @internal */
    public function countLeftOut(string $reason): void
    {
        $this->leftOut[$reason] = ($this->leftOut[$reason] ?? 0) + 1;
    }

    /** @internal */
    public function countUnreadable(string $reason): void
    {
        $this->unreadable[$reason] = ($this->unreadable[$reason] ?? 0) + 1;
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

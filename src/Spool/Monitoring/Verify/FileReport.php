<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring\Verify;

use Headroom\Core\Finding;

/**
 * The contents of one segment, active or sealed.
 *
 * @internal
 */
final class FileReport
{
    /** A file that is damaged throughout has many findings, and the first ones are enough. */
    private const MAX_PROBLEMS = 20;

    public int $frames = 0;

    public int $events = 0;

    public int $torn = 0;

    public int $damaged = 0;

    /** Events from the cursor on. */
    public int $pending = 0;

    /** Events from the state file's cursor on. */
    public int $pendingByState = 0;

    /** Whether a frame begins or ends at the cursor. */
    public bool $hasCursor = false;

    /** Equal for files with the same events. */
    public string $digest = '';

    /** @var list<Finding> */
    public array $problems = [];

    private int $omitted = 0;

    public function wrong(string $subject, string $message, string $fix): void
    {
        if (count($this->problems) < self::MAX_PROBLEMS) {
            $this->problems[] = new Finding($subject, $message, $fix);
        } else {
            $this->omitted++;
        }
    }

    /** @return list<Finding> */
    public function all(string $subject): array
    {
        return $this->omitted === 0
            ? $this->problems
            : [
                ...$this->problems,
                new Finding($subject, "There are {$this->omitted} more findings in this file.", 'See the first ones.'),
            ];
    }
}

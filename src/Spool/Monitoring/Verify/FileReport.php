<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring\Verify;

use Headroom\Core\Finding;

/**
 * What one slot or segment holds.
 *
 * @internal
 */
final class FileReport
{
    /** A file of nothing but damage has many places; the first ones tell enough. */
    private const MOST_PROBLEMS = 20;

    public int $frames = 0;

    public int $events = 0;

    public int $torn = 0;

    public int $damaged = 0;

    /** Events from the cursor on. */
    public int $pending = 0;

    /** Events from the state file's cursor on. */
    public int $pendingByState = 0;

    /** Something begins or ends where the cursor stands. */
    public bool $hasCursor = false;

    /** Equal for files with the same events. */
    public string $digest = '';

    /** @var list<Finding> */
    public array $problems = [];

    private int $left = 0;

    public function wrong(string $subject, string $message, string $fix): void
    {
        if (count($this->problems) < self::MOST_PROBLEMS) {
            $this->problems[] = new Finding($subject, $message, $fix);
        } else {
            $this->left++;
        }
    }

    /** @return list<Finding> */
    public function all(string $subject): array
    {
        return $this->left === 0
            ? $this->problems
            : [
                ...$this->problems,
                new Finding($subject, "There are {$this->left} more such places in this file.", 'See the first ones.'),
            ];
    }
}

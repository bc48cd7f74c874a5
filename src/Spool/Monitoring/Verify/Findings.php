<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring\Verify;

use Closure;
use Headroom\Core\Finding;

/**
 * Passes on each finding at once, because a damaged disk can have more findings than fit into memory.
 *
 * @internal
 */
final class Findings
{
    public int $wrong = 0;

    public int $notes = 0;

    /**
     * @param Closure(Finding): void $found
     * @param Closure(int): void $read receives the number of bytes read since the last call
     */
    public function __construct(private readonly Closure $found, private readonly Closure $read) {}

    public function add(Finding $problem): void
    {
        $problem->fatal ? $this->wrong++ : $this->notes++;
        ($this->found)($problem);
    }

    public function wrong(string $subject, string $message, string $fix): void
    {
        $this->add(new Finding($subject, $message, $fix));
    }

    public function note(string $subject, string $message, string $fix): void
    {
        $this->add(new Finding($subject, $message, $fix, false));
    }

    public function read(int $bytes): void
    {
        ($this->read)($bytes);
    }
}

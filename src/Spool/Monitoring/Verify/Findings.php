<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring\Verify;

use Closure;
use Headroom\Core\Problem;

/**
 * Hands on what is found as it is found: a damaged disk can have more of it than memory.
 *
 * @internal
 */
final class Findings
{
    public int $wrong = 0;

    public int $notes = 0;

    /**
     * @param Closure(Problem): void $found
     * @param Closure(int): void $read is told how many bytes were read since
     */
    public function __construct(private readonly Closure $found, private readonly Closure $read) {}

    public function add(Problem $problem): void
    {
        $problem->fatal ? $this->wrong++ : $this->notes++;
        ($this->found)($problem);
    }

    public function wrong(string $subject, string $message, string $fix): void
    {
        $this->add(new Problem($subject, $message, $fix));
    }

    public function note(string $subject, string $message, string $fix): void
    {
        $this->add(new Problem($subject, $message, $fix, false));
    }

    public function read(int $bytes): void
    {
        ($this->read)($bytes);
    }
}

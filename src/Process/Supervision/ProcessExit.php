<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

/**
 * How a process ended: with an exit code or by a signal.
 *
 * @internal
 */
final readonly class ProcessExit
{
    /** @param ?int $signal the signal that ended the process; the code is 0 then */
    private function __construct(public int $code, public ?int $signal) {}

    public static function withCode(int $code): self
    {
        return new self($code, null);
    }

    public static function bySignal(int $signal): self
    {
        return new self(0, $signal);
    }

    /** The predicate of a sentence about the process. */
    public function describe(): string
    {
        return $this->signal === null ? "ended with exit code {$this->code}" : "was killed by signal {$this->signal}";
    }
}

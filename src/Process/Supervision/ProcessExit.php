<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

/**
 * @internal
 */
final readonly class ProcessExit
{
    /** @param ?int $signal that ended it; the exit code is 0 then, and no WorkerStopReason has that value */
    private function __construct(public int $code, public ?int $signal) {}

    public static function withCode(int $code): self
    {
        return new self($code, null);
    }

    public static function bySignal(int $signal): self
    {
        return new self(0, $signal);
    }

    public function reason(): ?WorkerStopReason
    {
        return WorkerStopReason::tryFrom($this->code);
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Cli\Spool;

/**
 * @internal
 */
final readonly class ProcessEnd
{
    /** @param ?int $signal that ended it; the exit code is 0 then, which is none of ShiftEnd's */
    private function __construct(public int $code, public ?int $signal) {}

    public static function withCode(int $code): self
    {
        return new self($code, null);
    }

    public static function bySignal(int $signal): self
    {
        return new self(0, $signal);
    }

    public function shift(): ?ShiftEnd
    {
        return ShiftEnd::tryFrom($this->code);
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Closure;
use Psr\Log\AbstractLogger;
use Stringable;

/**
 * As an application's, whose log goes into the buffer.
 */
final class RecursiveLogger extends AbstractLogger
{
    public int $times = 0;

    /** @var ?Closure(): void */
    public ?Closure $whenLogged = null;

    /** @param array<array-key, mixed> $context */
    public function log($level, string|Stringable $message, array $context = []): void
    {
        if (++$this->times < 10 && $this->whenLogged !== null) {
            ($this->whenLogged)();
        }
    }
}

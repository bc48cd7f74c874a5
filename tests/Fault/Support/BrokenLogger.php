<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Psr\Log\AbstractLogger;
use RuntimeException;
use Stringable;

final class BrokenLogger extends AbstractLogger
{
    /** @param array<array-key, mixed> $context */
    public function log($level, string|Stringable $message, array $context = []): void
    {
        throw new RuntimeException('broken on purpose');
    }
}

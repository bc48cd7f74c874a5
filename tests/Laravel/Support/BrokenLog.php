<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Psr\Log\AbstractLogger;
use RuntimeException;
use Stringable;

/**
 * A log on a full disk. The messages go to PHP's own log instead, which is redirected meanwhile.
 */
final class BrokenLog extends AbstractLogger
{
    /** @param array<array-key, mixed> $context */
    public function log($level, string|Stringable $message, array $context = []): void
    {
        throw new RuntimeException('No space left on device');
    }

    /**
     * @template TResult
     *
     * @param callable(): TResult $work
     * @return TResult
     */
    public function during(callable $work): mixed
    {
        $before = ini_set('error_log', '/dev/null');

        try {
            return $work();
        } finally {
            ini_set('error_log', (string) $before);
        }
    }
}

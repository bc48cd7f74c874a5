<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Psr\Log\AbstractLogger;
use Stringable;

/**
 * One file for all processes, a line for each entry.
 */
final class FileLogger extends AbstractLogger
{
    public function __construct(private readonly string $path) {}

    /** @param array<array-key, mixed> $context */
    public function log($level, string|Stringable $message, array $context = []): void
    {
        file_put_contents($this->path, (is_string($level) ? $level : '?').": {$message}\n", FILE_APPEND | LOCK_EX);
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

/**
 * A queue connection that is measured.
 *
 * @internal
 */
final readonly class QueueConnection
{
    /**
     * @param string $name in the table
     * @param array<string, mixed> $connection as in config/queue.php
     * @param array<string, mixed> $config of the workers in addition to the application's, by keys with dots
     * @param ?int<1, max> $workers the most that it supports
     * @param list<string> $notes
     */
    public function __construct(
        public string $name,
        public array $connection,
        public array $config = [],
        public ?int $workers = null,
        public array $notes = [],
    ) {}

    public function driver(): string
    {
        return $this->text('driver');
    }

    public function text(string $key, string $default = ''): string
    {
        $value = $this->connection[$key] ?? '';

        return is_scalar($value) && (string) $value !== '' ? (string) $value : $default;
    }
}

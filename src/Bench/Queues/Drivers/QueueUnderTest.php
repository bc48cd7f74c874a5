<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

/**
 * A queue connection that is measured.
 *
 * @internal
 */
final readonly class QueueUnderTest
{
    /**
     * @param string $name how the table calls it
     * @param array<string, mixed> $connection as in config/queue.php
     * @param array<string, mixed> $config that workers need besides the application's own, by keys with dots
     * @param ?int<1, max> $workers no more than it can stand
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

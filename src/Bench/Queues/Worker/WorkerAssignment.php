<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Worker;

use Headroom\Bench\Queues\UnableToBench;
use JsonException;

/**
 * The benchmark's instructions for a worker.
 *
 * @internal
 */
final readonly class WorkerAssignment
{
    /** @param array<string, mixed> $config */
    private function __construct(
        public array $config,
        public string $connection,
        public string $queue,
        public string $directory,
        public string $barrier,
        public int $tries,
        public float $sleep,
        public int $workers,
        public bool $isStaggered,
    ) {}

    /** @throws UnableToBench */
    public static function read(string $path): self
    {
        try {
            $orders = json_decode((string) @file_get_contents($path), true, flags: JSON_THROW_ON_ERROR);
        } catch (JsonException) {
            throw UnableToBench::file($path);
        }

        $orders = is_array($orders) ? $orders : throw UnableToBench::file($path);
        $text = static fn (string $key): string
            => is_string($orders[$key] ?? null) ? $orders[$key] : throw UnableToBench::file($path);
        $number = static fn (string $key): int|float => is_int($orders[$key] ?? null) || is_float($orders[$key] ?? null)
            ? $orders[$key]
            : throw UnableToBench::file($path);
        $config = [];

        foreach (is_array($orders['config'] ?? null) ? $orders['config'] : [] as $key => $value) {
            $config[(string) $key] = $value;
        }

        return new self(
            $config,
            $text('connection'),
            $text('queue'),
            $text('directory'),
            $text('barrier'),
            (int) $number('tries'),
            (float) $number('sleep'),
            (int) $number('workers'),
            ($orders['staggered'] ?? false) === true,
        );
    }
}

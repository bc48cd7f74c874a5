<?php

declare(strict_types=1);

namespace Headroom\Testing;

use DateTimeImmutable;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Encoding\Codec;

/**
 * The events that a fake has recorded, and which of them were flushed.
 *
 * @internal
 */
final class FakedEvents
{
    private const MAX_SHOWN = 10;

    private const MAX_CHARACTERS = 300;

    /** @var list<array{string, string, bool}> bucket, line, true if flushed */
    private array $events = [];

    public function __construct(private readonly AppendConfig $settings) {}

    public function record(string $bucket, string $payload): void
    {
        foreach (explode("\n", $payload) as $line) {
            $this->events[] = [$bucket, $line, false];
        }
    }

    /** @return list<string> */
    public function buckets(): array
    {
        return array_values(array_unique(array_column($this->events, 0)));
    }

    /**
     * @param ?string $bucket null means all
     * @param (callable(array<string, mixed>, string): bool)|null $filter gets the row and the bucket
     * @return list<array<string, mixed>>
     */
    public function rows(?string $bucket, ?callable $filter): array
    {
        $rows = [];

        foreach ($this->events as [$of, $line]) {
            $row = $this->row($of, $line);

            if (($bucket === null || $of === $bucket) && ($filter === null || $filter($row, $of))) {
                $rows[] = $row;
            }
        }

        return $rows;
    }

    /** @param ?string $bucket null means all */
    public function flushed(?string $bucket): int
    {
        return count(array_filter(
            $this->events,
            static fn (array $event): bool => $event[2] && ($bucket === null || $event[0] === $bucket),
        ));
    }

    /** @return array<int, string> lines that were not flushed, by a stable number */
    public function unflushed(string $bucket): array
    {
        $unflushed = array_filter(
            $this->events,
            static fn (array $event): bool => $event[0] === $bucket && ! $event[2],
        );

        return array_map(static fn (array $event): string => $event[1], $unflushed);
    }

    /** @param list<int> $numbers keys of waiting() */
    public function markFlushed(array $numbers): void
    {
        foreach ($numbers as $number) {
            $this->events[$number][2] = true;
        }
    }

    /** The recorded events, for the message of a failed assertion. */
    public function summary(): string
    {
        if ($this->events === []) {
            return 'Nothing was buffered.';
        }

        $lines = array_map(
            fn (array $event): string => "{$event[0]}: {$this->describe($event[0], $event[1])}",
            array_slice($this->events, 0, self::MAX_SHOWN),
        );
        $more = count($this->events) - count($lines);

        return "Buffered so far:\n  ".implode("\n  ", $lines).($more > 0 ? "\n  and {$more} more" : '');
    }

    private function describe(string $bucket, string $line): string
    {
        $row = array_map(
            static fn (mixed $value): mixed
                => $value instanceof DateTimeImmutable ? $value->format('Y-m-d H:i:s.u P') : $value,
            $this->row($bucket, $line),
        );

        return substr(
            (string) json_encode($row, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PARTIAL_OUTPUT_ON_ERROR),
            0,
            self::MAX_CHARACTERS,
        );
    }

    /** @return array<string, mixed> */
    private function row(string $bucket, string $line): array
    {
        return array_map(static fn (mixed $value): mixed => match (true) {
            $value instanceof Json => json_decode($value->text, true),
            $value instanceof Bytes => $value->value,
            default => $value,
        }, (new Codec($this->settings->utf8($bucket)))->decode($line)[0]);
    }
}

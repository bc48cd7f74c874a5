<?php

declare(strict_types=1);

namespace Headroom\Charts;

use JsonSerializable;

/**
 * The number of events in each interval, by name: the data of the chart and of the table on the page.
 *
 * @internal
 */
final readonly class EventCounts implements JsonSerializable
{
    /**
     * @param list<int> $times start of each interval, in milliseconds since the Unix epoch
     * @param list<array{name: string, total: int, counts: list<int>}> $series most frequent first
     * @param ?array{total: int, counts: list<int>} $others all other names together
     * @param bool $isPartial true if a part of the index did not answer in time
     */
    private function __construct(
        public ChartQuery $query,
        public array $times,
        public array $series,
        public ?array $others,
        public bool $isPartial,
    ) {}

    /**
     * @param array<array-key, mixed> $answer response of the index
     *
     * @throws UnreadableCounts
     */
    public static function read(ChartQuery $query, array $answer): self
    {
        $all = self::counts(self::in($answer, 'aggregations', 'all', 'buckets'));
        $left = $all;
        $series = [];

        // With filter_path, Elasticsearch leaves out empty members.
        foreach (isset(self::in($answer, 'aggregations')['top']) ? self::in(
            $answer,
            'aggregations',
            'top',
            'buckets',
        ) : [] as $bucket) {
            $name = is_array($bucket) ? $bucket['key'] ?? null : null;
            $counts = self::counts(self::in($bucket, 'over_time', 'buckets'));
            $aligned = [];

            foreach ($all as $time => $count) {
                $aligned[] = $counts[$time] ?? 0;
                $left[$time] -= $counts[$time] ?? 0;
            }

            $series[] = [
                'name' => is_string($name) ? $name : throw UnreadableCounts::because('a bucket without a name'),
                'total' => array_sum($aligned),
                'counts' => $aligned,
            ];
        }

        // Shards that counted at different times can make the difference negative.
        $left = array_map(static fn (int $count): int => max(0, $count), array_values($left));
        $others = array_sum($left) === 0 ? null : ['total' => array_sum($left), 'counts' => $left];

        return new self(
            $query,
            array_keys($all),
            $series,
            $others,
            ($answer['timed_out'] ?? false) === true || (self::failed($answer) > 0),
        );
    }

    public function total(): int
    {
        return array_sum(array_column($this->series, 'total')) + ($this->others['total'] ?? 0);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return [
            'from' => $this->query->from * 1_000,
            'to' => $this->query->to * 1_000,
            'interval' => $this->query->interval->seconds,
            'split' => $this->query->split->value,
            'group' => $this->query->group->value,
            'total' => $this->total(),
            'partial' => $this->isPartial,
            'times' => $this->times,
            'series' => $this->series,
            'others' => $this->others,
        ];
    }

    /** @param array<array-key, mixed> $answer */
    private static function failed(array $answer): int
    {
        $shards = $answer['_shards'] ?? null;

        return is_array($shards) && is_int($shards['failed'] ?? null) ? $shards['failed'] : 0;
    }

    /**
     * @param array<array-key, mixed> $buckets
     * @return array<int, int> by time
     */
    private static function counts(array $buckets): array
    {
        $counts = [];

        foreach ($buckets as $bucket) {
            if (! is_array($bucket) || ! is_int($bucket['key'] ?? null) || ! is_int($bucket['doc_count'] ?? null)) {
                throw UnreadableCounts::because('an interval without a time and a number');
            }

            $counts[$bucket['key']] = $bucket['doc_count'];
        }

        return $counts;
    }

    /** @return array<array-key, mixed> */
    private static function in(mixed $answer, string ...$path): array
    {
        foreach ($path as $name) {
            $answer = is_array($answer) ? $answer[$name] ?? null : null;
        }

        return is_array($answer) ? $answer : throw UnreadableCounts::because('a document without '.implode('.', $path));
    }
}

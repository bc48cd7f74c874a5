<?php

declare(strict_types=1);

namespace Headroom\Charts;

use Headroom\Sink\Elasticsearch\Document;

/**
 * A chart's question in the words of the index: how many documents there are in each interval, all of them and those of the
 * most frequent names. The rest is what is left of all.
 *
 * @internal
 */
final readonly class Aggregation
{
    public const WITHOUT = '(none)';

    /** What the log channel writes is neither. */
    private const LOG = 'log';

    /** A shard names more than are wanted, so that one which is frequent on the whole is not missed. */
    private const SHARD_SIZE = 500;

    /** @param list<string> $actions beginnings of types of what end users do */
    public function __construct(private array $actions) {}

    /** @return array<string, mixed> */
    public function of(ChartQuery $query): array
    {
        return [
            'size' => 0,
            'track_total_hits' => false,
            'timeout' => '20s',
            'query' => ['bool' => $this->filter($query)],
            'aggs' => [
                'all' => $this->histogram($query),
                'top' => [
                    'terms' => ['field' => $query->split->value, 'size' => $query->top, 'shard_size' => self::SHARD_SIZE, 'missing' => self::WITHOUT],
                    'aggs' => ['over_time' => $this->histogram($query)],
                ],
            ],
        ];
    }

    /** @return array<string, mixed> */
    private function filter(ChartQuery $query): array
    {
        $filter = [['range' => [Document::TIMESTAMP => ['gte' => $query->from * 1_000, 'lt' => $query->to * 1_000, 'format' => 'epoch_millis']]]];
        $actions = array_map(static fn (string $prefix): array => ['prefix' => ['type' => $prefix]], $this->actions);

        if ($query->prefix !== '') {
            $filter[] = ['prefix' => ['type' => $query->prefix]];
        }

        return match ($query->group) {
            EventGroup::All => ['filter' => $filter],
            EventGroup::Business => ['filter' => $filter, 'must_not' => [...$actions, ['term' => ['type' => self::LOG]]]],
            EventGroup::Actions => ['filter' => [...$filter, ['bool' => ['should' => $actions, 'minimum_should_match' => 1]]]],
        };
    }

    /** @return array<string, mixed> */
    private function histogram(ChartQuery $query): array
    {
        return ['date_histogram' => [
            'field' => Document::TIMESTAMP,
            'fixed_interval' => "{$query->interval->seconds}s",
            'time_zone' => $query->zone,
            // Where there was nothing is a point as well.
            'min_doc_count' => 0,
            'extended_bounds' => ['min' => $query->from * 1_000, 'max' => $query->to * 1_000 - 1],
        ]];
    }
}

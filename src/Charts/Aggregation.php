<?php

declare(strict_types=1);

namespace Headroom\Charts;

use Headroom\Sink\Elasticsearch\Document;

/**
 * The search request of a chart: the number of documents in each interval, in total and for each of the most frequent
 * names. All other names together are the difference.
 *
 * @internal
 */
final readonly class Aggregation
{
    public const WITHOUT = '(none)';

    /** Lines of the log channel are neither business events nor actions. */
    private const LOG = 'log';

    /**
     * Each shard returns more names than the chart shows, so that a name that is frequent only in total is not missed.
     */
    private const SHARD_SIZE = 500;

    /** @param list<string> $actions prefixes of the types of end-user actions */
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
                    'terms' => [
                        'field' => $query->split->value,
                        'size' => $query->top,
                        'shard_size' => self::SHARD_SIZE,
                        'missing' => self::WITHOUT,
                    ],
                    'aggs' => ['over_time' => $this->histogram($query)],
                ],
            ],
        ];
    }

    /** @return array<string, mixed> */
    private function filter(ChartQuery $query): array
    {
        $filter = [['range' => [Document::TIMESTAMP => [
            'gte' => $query->from * 1_000,
            'lt' => $query->to * 1_000,
            'format' => 'epoch_millis',
        ]]]];
        $actions = array_map(static fn (string $prefix): array => ['prefix' => ['type' => $prefix]], $this->actions);

        if ($query->prefix !== '') {
            $filter[] = ['prefix' => ['type' => $query->prefix]];
        }

        return match ($query->group) {
            EventGroup::All => ['filter' => $filter],
            EventGroup::Business => [
                'filter' => $filter,
                'must_not' => [...$actions, ['term' => ['type' => self::LOG]]],
            ],
            EventGroup::Actions => ['filter' => [
                ...$filter, ['bool' => ['should' => $actions, 'minimum_should_match' => 1]],
            ]],
        };
    }

    /** @return array<string, mixed> */
    private function histogram(ChartQuery $query): array
    {
        return ['date_histogram' => [
            'field' => Document::TIMESTAMP,
            'fixed_interval' => "{$query->interval->seconds}s",
            'time_zone' => $query->zone,
            // Intervals without documents are points of the chart too.
            'min_doc_count' => 0,
            'extended_bounds' => ['min' => $query->from * 1_000, 'max' => $query->to * 1_000 - 1],
        ]];
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Workbench\Rig\Rig;

/**
 * What is compared between the endpoints of each part. A ratio with an endpoint that has not taken part is null.
 */
final readonly class Summaries
{
    /** @return array<string, mixed> */
    public static function ofWrites(Endpoints $endpoints, Rig $rig): array
    {
        $results = $endpoints->results;

        return [
            'endpoints' => $results->figures(),
            'buffered_vs_none' => $results->rates('buffered', 'none'),
            'buffered_vs_sync' => $results->rates('buffered', 'sync'),
            'buffered_p99_vs_none' => $results->latencies('buffered', 'none', 99.0),
            'errors' => $results->errors('none', 'buffered'),
            'sync_errors' => $results->errors('sync'),
            ...$endpoints->acknowledged->found($endpoints->acknowledged->copies()),
            'status' => $rig->status('page-views'),
            'client_limited' => $results->isClientLimited(),
        ];
    }

    /** @return array<string, mixed> */
    public static function ofRedis(Endpoints $endpoints, Rig $rig): array
    {
        $results = $endpoints->results;

        return [
            'endpoints' => $results->figures(),
            'redis_vs_xadd' => $results->rates('buffered-redis', 'xadd'),
            'redis_p99_vs_xadd' => $results->latencies('buffered-redis', 'xadd', 99.0),
            'errors' => $results->errors('xadd', 'buffered-redis'),
            ...$endpoints->acknowledged->found($endpoints->acknowledged->copies()),
            'status' => $rig->status('page-views-redis'),
            'client_limited' => $results->isClientLimited(),
        ];
    }

    /**
     * @param list<string> $metered sides that also count each event in a row that all requests update
     * @return array<string, mixed>
     */
    public static function ofContention(Endpoints $endpoints, array $metered): array
    {
        $results = $endpoints->results;
        $copies = $endpoints->acknowledged->copies();
        $counted = $endpoints->acknowledged->pairs('select api_key, sum(calls) from api_usage group by api_key');
        $found = $endpoints->acknowledged->found($copies);
        $tables = [];

        foreach ($metered as $side) {
            $rows = array_sum(array_filter(
                $copies,
                static fn (string $seq): bool => str_contains($seq, "-{$side}-"),
                ARRAY_FILTER_USE_KEY,
            ));
            $tables[$side] = ['rows' => $rows, 'counted' => $counted[$side] ?? 0];
            // Each event is a row, and one in the count.
            $found['lost'] += max(0, $rows - $tables[$side]['counted']);
            $found['double'] += max(0, $tables[$side]['counted'] - $rows);
        }

        return [
            'endpoints' => $results->figures(),
            'buffered_vs_sync' => $results->rates('buffered', 'sync'),
            'buffered_vs_none' => $results->rates('buffered', 'none'),
            // No buffer can be faster than the endpoint that writes nothing.
            'none_vs_sync' => $results->rates('none', 'sync'),
            'none_p50_ratio' => $results->latencies('sync', 'none', 50.0),
            'none_p95_ratio' => $results->latencies('sync', 'none', 95.0),
            'p50_ratio' => $results->latencies('sync', 'buffered', 50.0),
            'p95_ratio' => $results->latencies('sync', 'buffered', 95.0),
            'errors' => $results->errors('buffered', 'none'),
            'sync_errors' => $results->errors('sync'),
            'tables' => $tables,
            ...$found,
            'client_limited' => $results->isClientLimited(),
        ];
    }
}

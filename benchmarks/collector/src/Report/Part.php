<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Headroom\Report\Page\Unit;

/**
 * The parts of a run, as run.php names them.
 */
enum Part: string
{
    case Hello = 'hello';
    case Slow = 'slow';
    case Durable = 'durable';
    case Drain = 'drain';
    case Down = 'down';
    case Reload = 'reload';
    case Kill = 'kill';
    case Connections = 'connections';
    case Lane = 'lane';
    case Figures = 'figures';
    case Soak = 'soak';
    case Outage = 'outage';

    public function title(): string
    {
        return match ($this) {
            self::Hello => 'Hello world, flat out',
            self::Slow => 'Slow third party',
            self::Durable => 'Durable events',
            self::Drain => 'Into OpenSearch',
            self::Down => 'Slow index',
            self::Reload => 'Reloads',
            self::Kill => 'Kills',
            self::Connections => 'Connections',
            self::Lane => 'Fast lane',
            self::Figures => 'Figures',
            self::Soak => 'Soak',
            self::Outage => 'Outage',
        };
    }

    /** A sentence. What stands in `backticks` is set as code. */
    public function words(): string
    {
        return match ($this) {
            self::Hello => 'Hello world, as fast as it goes.',
            self::Slow => 'A third party that takes 2 s, 1,000 users.',
            self::Durable => 'Events on disk before 202, one worker, 100 connections.',
            self::Drain => 'From the buffer into OpenSearch, one flusher.',
            self::Down => 'While the index is slow, or does not answer.',
            self::Reload => 'Rolling reloads under load.',
            self::Kill => '`kill -9` of a worker, a flusher or the process above them, each second.',
            self::Connections => '3,000 connections at two workers that take 1,800.',
            self::Lane => 'The fast lane against a Laravel endpoint that writes nothing.',
            self::Figures => 'Users from 100 to 1,000.',
            self::Soak => 'At half load, for an hour or as long as it says.',
            self::Outage => 'The index away for a minute in one piece.',
        };
    }

    /** @return list<Row> what of it is shown in the table; the figures have charts of their own */
    public function rows(): array
    {
        return match ($this) {
            self::Hello => self::hello(),
            self::Slow => self::slow(),
            self::Durable => self::durable(),
            self::Drain => [
                Row::of('Documents', Unit::PerSecond, 'figures/documents_per_second', Aim::atLeast(20_000)),
                Row::none('Lost', 'figures/lost'),
                Row::none('Double in the index', 'figures/double'),
            ],
            self::Down => self::down(),
            self::Reload => [
                Row::of('Reloads, one after the other', Unit::Count, 'figures/reloads', Aim::atLeast(20)),
                Row::none('Failed requests, on kept and on new connections', 'figures/failed'),
                Row::none('Acknowledged and not in the buffer', 'figures/missing'),
            ],
            self::Kill => [
                Row::of('Kills', Unit::Count, 'result/kills'),
                Row::of('Events acknowledged', Unit::Count, 'figures/acknowledged'),
                Row::none('Lost of them', 'figures/lost'),
                Row::none('Double in the index', 'figures/double'),
            ],
            self::Connections => [
                Row::of('202s', Unit::PerSecond, 'figures/many/requests_per_second'),
                Row::none('Refused or broken', 'figures/many/refused', 'figures/many/broken'),
                Row::none(
                    'Refused or broken of 100 connections after them',
                    'figures/after/refused',
                    'figures/after/broken',
                ),
                Row::none('Acknowledged and not in the buffer', 'figures/missing'),
            ],
            self::Lane => [
                Row::of('Requests, the fast lane', Unit::PerSecond, 'figures/sides/lane/requests_per_second'),
                Row::of('Requests, Laravel', Unit::PerSecond, 'figures/sides/laravel/requests_per_second'),
                Row::of('Requests, lane / Laravel', Unit::Times, 'figures/rate', Aim::atLeast(8)),
                Row::of('p99, lane / Laravel', Unit::Times, 'figures/p99', Aim::atMost(0.2)),
                Row::of('Requests, lane with 50 workers / Laravel', Unit::Times, 'figures/shared_rate'),
                Row::of('p99, lane with 50 workers / Laravel', Unit::Times, 'figures/shared_p99'),
                Row::none('Errors of the lane', 'result/errors'),
                Row::none('Acknowledged and not in the buffer', 'result/lost'),
            ],
            self::Figures => [],
            self::Soak => self::soak(),
            self::Outage => self::outage(),
        };
    }

    /** @return list<Row> */
    private static function hello(): array
    {
        return [
            Row::of(
                '100 connections: requests, one worker',
                Unit::PerSecond,
                'figures/100/sides/collector/requests_per_second',
            ),
            Row::of('100 connections: requests, stack A', Unit::PerSecond, 'figures/100/sides/fpm/requests_per_second'),
            Row::of(
                '100 connections: one worker / stack A with both cores',
                Unit::Times,
                'figures/100/collector_vs_fpm',
                Aim::atLeast(2.5),
            ),
            Row::of(
                '850 connections: one worker / stack A with both cores',
                Unit::Times,
                'figures/850/collector_vs_fpm',
            ),
            Row::of(
                '1,000 connections: two workers / stack A with both cores',
                Unit::Times,
                'figures/1000/collector_vs_fpm',
                Aim::atLeast(3),
            ),
            Row::of(
                '1,000 connections: p99 of two workers',
                Unit::Millis,
                'figures/1000/sides/collector/p99_ms',
                Aim::atMost(150),
            ),
            Row::none('Errors of the collector', 'result/errors'),
        ];
    }

    /** @return list<Row> */
    private static function slow(): array
    {
        return [
            Row::of(
                'Answers, of the 500 a second that are possible',
                Unit::Share,
                'figures/ideal_share',
                Aim::atLeast(0.95),
            ),
            Row::of(
                'p99 of other clients, who send events meanwhile',
                Unit::Millis,
                'figures/acks_beside/p99_ms',
                Aim::atMost(50),
            ),
            Row::none('Errors of stack X', 'figures/collector/refused', 'figures/collector/broken'),
            Row::of('Answers, stack A', Unit::PerSecond, 'figures/fpm/requests_per_second'),
            Row::of('Refused by stack A', Unit::Count, 'figures/fpm/refused'),
            Row::of('Broken, or without an answer in time, stack A', Unit::Count, 'figures/fpm/broken'),
        ];
    }

    /** @return list<Row> */
    private static function durable(): array
    {
        return [
            Row::of(
                'Synced to disk, one a request: events',
                Unit::PerSecond,
                'figures/power_1/events_per_second',
                Aim::atLeast(15_000),
            ),
            Row::of('Synced to disk, 100 a request: events', Unit::PerSecond, 'figures/power_100/events_per_second'),
            Row::of(
                'Synced to disk, 100 a request: events in a second of one core',
                Unit::Count,
                'figures/power_100/events_per_cpu_second',
                Aim::atLeast(300_000),
            ),
            Row::of('In the page cache, one a request: events', Unit::PerSecond, 'figures/process_1/events_per_second'),
            Row::of(
                'In the page cache, 100 a request: events',
                Unit::PerSecond,
                'figures/process_100/events_per_second',
            ),
            Row::of(
                'Synced to disk, PHP with JIT, one a request: events',
                Unit::PerSecond,
                'figures/jit_1/events_per_second',
            ),
            Row::of(
                'Synced to disk, PHP with JIT, 100 a request: events in a second of one core',
                Unit::Count,
                'figures/jit_100/events_per_cpu_second',
            ),
            Row::none('Errors', 'result/errors'),
            Row::none('Acknowledged and not in the buffer', 'result/lost'),
        ];
    }

    /** @return list<Row> a 202 waits for no index, so that the rate is the same within what the rounds differ by */
    private static function down(): array
    {
        return [
            Row::of('202s, the index 50 ms later / at once', Unit::Times, 'figures/slow_vs_up', Aim::atLeast(0.95)),
            Row::of('202s, no index / at once', Unit::Times, 'figures/down_vs_up', Aim::atLeast(0.95)),
            Row::none('Refused', 'result/refused'),
            Row::none('Lost, once the index is back', 'result/lost'),
            Row::none('Double in the index', 'result/double'),
        ];
    }

    /** @return list<Row> */
    private static function soak(): array
    {
        return [
            Row::of('Length', Unit::Seconds, 'figures/seconds'),
            Row::of('202s', Unit::PerSecond, 'figures/soak/requests_per_second'),
            Row::of('p99', Unit::Millis, 'figures/soak/p99_ms'),
            Row::of(
                'Memory of the workers, last quarter / first',
                Unit::Times,
                'figures/memory/worker/last_vs_first',
                Aim::atMost(1.05),
            ),
            Row::of(
                'Memory of the flusher, last quarter / first',
                Unit::Times,
                'figures/memory/flusher/last_vs_first',
                Aim::atMost(1.05),
            ),
            Row::of(
                'Memory of the process above them, last quarter / first',
                Unit::Times,
                'figures/memory/supervisor/last_vs_first',
                Aim::atMost(1.05),
            ),
            Row::none('Refused or broken', 'result/refused'),
            Row::none('Lost', 'result/lost'),
            Row::none('Double in the index', 'result/double'),
        ];
    }

    /** @return list<Row> */
    private static function outage(): array
    {
        return [
            Row::of('202s, index away / before', Unit::Times, 'result/outage_ack_share', Aim::atLeast(0.95)),
            Row::of('Events that waited when it was back', Unit::Count, 'figures/waiting_when_back'),
            Row::of('Until the flusher was level with the load again', Unit::Seconds, 'figures/caught_up_seconds'),
            Row::none('Refused or broken', 'result/refused'),
            Row::none('Lost, once the index is back', 'result/lost'),
            Row::none('Double in the index', 'result/double'),
        ];
    }
}

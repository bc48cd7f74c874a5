<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck\Report;

use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Benchmarks\Bottleneck\Stage as BottleneckStage;

/**
 * Stages as a run wrote them, each value looked at once: what draws them trusts it.
 *
 * @phpstan-type Slot array{from_s: float, succeeded: int, errors: int, mean_ms: ?float}
 * @phpstan-type Look array{at_s: float, clients: int, connections_per_second: float}
 * @phpstan-type Load array{
 *     requests: int,
 *     error_rate: float,
 *     mean_ms: ?float,
 *     p95_ms: ?float,
 *     redis_clients_most: int,
 *     redis_connections_per_second: ?float,
 *     cpu_share: ?float,
 *     timeline: list<Slot>,
 *     redis: list<Look>,
 * }
 * @phpstan-type Doctor array{
 *     cause: ?string,
 *     sentence: ?string,
 *     seconds_to_cause: ?float,
 *     found: list<string>,
 *     findings: list<array{id: string, severity: string, message: string}>,
 * }
 * @phpstan-type Stage array{
 *     stage: string,
 *     quota: string,
 *     load: Load,
 *     doctor: Doctor,
 *     judged: array{right: bool, words: string},
 * }
 * @phpstan-type Step array{check: string, words: string, done: list<string>, load: ?Load, gone: bool}
 * @phpstan-type Mended array{stage: string, fixed: bool, steps: list<Step>}
 */
final readonly class StageRows
{
    /**
     * @return Stage
     * @throws UnableToReadResults
     */
    public static function measured(Piece $row): array
    {
        return [
            'stage' => $row->one('stage', BottleneckStage::class)->value,
            'quota' => $row->text('quota'),
            'load' => self::load($row->at('load')),
            'doctor' => self::doctor($row->at('doctor')),
            'judged' => ['right' => $row->at('judged')->isTrue('right'), 'words' => $row->at('judged')->text('words')],
        ];
    }

    /**
     * @return Mended
     * @throws UnableToReadResults
     */
    public static function mended(Piece $row): array
    {
        return [
            'stage' => $row->one('stage', BottleneckStage::class)->value,
            'fixed' => $row->isTrue('fixed'),
            'steps' => array_map(self::step(...), $row->list('steps')),
        ];
    }

    /** @return Step */
    private static function step(Piece $step): array
    {
        $load = $step->isNull('load') ? null : self::load($step->at('load'));

        return [
            'check' => $step->text('check'),
            'words' => $step->text($step->has('trouble') ? 'trouble' : 'text'),
            'done' => $step->lines('done'),
            'load' => $load,
            'gone' => $load !== null && $step->isTrue('gone'),
        ];
    }

    /** @return Load */
    private static function load(Piece $load): array
    {
        return [
            'requests' => $load->whole('requests'),
            'error_rate' => $load->number('error_rate'),
            'mean_ms' => $load->numberOrNull('mean_ms'),
            'p95_ms' => $load->numberOrNull('p95_ms'),
            'redis_clients_most' => $load->whole('redis_clients_most'),
            'redis_connections_per_second' => $load->numberOrNull('redis_connections_per_second'),
            'cpu_share' => $load->numberOrNull('cpu_share'),
            'timeline' => array_map(
                static fn (Piece $slot): array => [
                    'from_s' => $slot->number('from_s'),
                    'succeeded' => $slot->whole('succeeded'),
                    'errors' => $slot->whole('errors'),
                    'mean_ms' => $slot->numberOrNull('mean_ms'),
                ],
                self::rising($load->list('timeline'), 'from_s'),
            ),
            'redis' => array_map(
                static fn (Piece $look): array => [
                    'at_s' => $look->number('at_s'),
                    'clients' => $look->whole('clients'),
                    'connections_per_second' => $look->number('connections_per_second'),
                ],
                self::rising($load->list('redis'), 'at_s'),
            ),
        ];
    }

    /** @return Doctor */
    private static function doctor(Piece $doctor): array
    {
        $text = static fn (string $key): ?string => $doctor->isNull($key) ? null : $doctor->text($key);

        return [
            'cause' => $text('cause'),
            'sentence' => $text('sentence'),
            'seconds_to_cause' => $doctor->numberOrNull('seconds_to_cause'),
            'found' => $doctor->lines('found'),
            'findings' => array_map(
                static fn (Piece $finding): array => [
                    'id' => $finding->text('id'),
                    'severity' => $finding->text('severity'),
                    'message' => $finding->text('message'),
                ],
                $doctor->list('findings'),
            ),
        ];
    }

    /**
     * @param list<Piece> $rows
     * @param string $time seconds, of which none stands before one above it
     * @return list<Piece>
     */
    private static function rising(array $rows, string $time): array
    {
        $before = 0.0;

        foreach ($rows as $row) {
            $at = $row->number($time);
            $before = $at >= $before
                ? $at
                : throw $row->wrong($time, "no time before {$before}, which stands above it,");
        }

        return $rows;
    }
}

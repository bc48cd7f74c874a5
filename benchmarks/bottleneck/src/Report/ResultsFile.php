<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck\Report;

use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\ResultsText;
use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Benchmarks\MeasuredOn;

/**
 * What a run wrote.
 *
 * @phpstan-import-type Stage from StageRows
 * @phpstan-import-type Mended from StageRows
 * @phpstan-type ForAll array{samples: int, users: int, limit_s: float, round_trip_ms: float, connection_ms: float}
 */
final readonly class ResultsFile
{
    /**
     * @param ?ForAll $given to each stage; null where none was measured
     * @param list<Stage> $stages
     * @param list<Mended> $mended
     * @param array<string, MeasuredOn> $machines by part
     */
    private function __construct(
        public bool $isQuick,
        public ?array $given,
        public array $stages,
        public array $mended,
        public array $machines,
    ) {}

    /** @throws UnableToReadResults */
    public static function read(string $path): self
    {
        $results = ResultsText::read($path, 'bottleneck');
        $parts = $results->at('parts');
        [$stages, $fixes] = [$parts->find('stages')?->at('figures'), $parts->find('fixes')?->at('figures')];
        $given = $stages ?? $fixes;

        return new self(
            $results->has('quick') && $results->isTrue('quick'),
            $given === null ? null : self::given($given),
            $stages === null || $stages->list('stages') === []
                ? []
                : array_map(StageRows::measured(...), $stages->rows('stages', 'stage')),
            $fixes === null || $fixes->list('mended') === []
                ? []
                : array_map(StageRows::mended(...), $fixes->rows('mended', 'stage')),
            array_map(static fn (Piece $part): MeasuredOn => MeasuredOn::of($part->at('machine')), $parts->all()),
        );
    }

    /** @return ForAll */
    private static function given(Piece $figures): array
    {
        return [
            'samples' => $figures->whole('samples'),
            'users' => $figures->whole('users'),
            'limit_s' => $figures->number('limit_s'),
            'round_trip_ms' => $figures->at('line')->number('round_trip_ms'),
            'connection_ms' => $figures->at('line')->number('connection_ms'),
        ];
    }
}

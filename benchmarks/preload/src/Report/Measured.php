<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\UnableToReadResults;

/**
 * All that was measured of one variant.
 */
final readonly class Measured
{
    /**
     * @param array<string, Cost> $costs by page
     * @param ?Ratio $rate requests per second against the plain autoloader, at the page where they gain least
     * @param list<string> $changed pages that answer something else
     */
    private function __construct(
        public string $name,
        public int $files,
        public int $classes,
        public float $listBytes,
        public int $warnings,
        public array $changed,
        public Spread $workerBytes,
        public Spread $startMillis,
        public Spread $firstMillis,
        public Ratio $first,
        public array $costs,
        public ?Ratio $rate,
    ) {}

    /** @throws UnableToReadResults */
    public static function of(Piece $finding): self
    {
        $rates = array_map(
            static fn (Piece $rate): Ratio => Ratio::of($rate, $rate->isTrue('seen')),
            array_values($finding->at('rates_to_plain')->all()),
        );
        usort($rates, static fn (Ratio $a, Ratio $b): int => $a->median <=> $b->median);

        return new self(
            $finding->text('variant'),
            $finding->whole('files'),
            $finding->whole('classes'),
            $finding->number('preload_bytes'),
            $finding->whole('warnings'),
            $finding->lines('pages_changed'),
            Spread::of($finding->at('worker_bytes')),
            Spread::of($finding->at('start_ms')),
            Spread::of($finding->at('first_request_ms')),
            Ratio::of($finding->at('first_request_ratio'), $finding->isTrue('first_request_seen')),
            array_map(Cost::of(...), $finding->at('costs')->all()),
            $rates[0] ?? null,
        );
    }
}

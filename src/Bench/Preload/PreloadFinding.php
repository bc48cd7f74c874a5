<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Headroom\Bench\PairedComparison;
use Headroom\Bench\Samples;

/**
 * The results of one variant.
 *
 * @internal
 */
final readonly class PreloadFinding
{
    /**
     * @param Samples $workerBytes after the same requests
     * @param Samples $startMillis until a worker waits for requests
     * @param Samples $firstMillis of the first request after that
     * @param PairedComparison $first with that of the base
     * @param array<string, PageCost> $costs by page
     * @param array<string, PageRate> $rates by page
     * @param list<string> $changed pages that answer otherwise
     */
    public function __construct(
        public string $variant,
        public PoolFacts $facts,
        public Samples $workerBytes,
        public Samples $startMillis,
        public Samples $firstMillis,
        public PairedComparison $first,
        public array $costs,
        public array $rates,
        public array $changed,
    ) {}

    /**
     * @param list<string> $pages
     * @return ?float the smallest gain, or the largest loss, of CPU time among these; null if all of them answer
     *     otherwise
     */
    public function worstChange(array $pages): ?float
    {
        $changes = array_filter(
            array_map(fn (string $page): ?float => ($this->costs[$page] ?? null)?->change(), $pages),
            is_float(...),
        );

        return $changes === [] ? null : max($changes);
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'variant' => $this->variant,
            ...$this->facts->toArray(),
            'pages_changed' => $this->changed,
            'worker_bytes' => $this->workerBytes->toArray(),
            'start_ms' => $this->startMillis->toArray(),
            'first_request_ms' => $this->firstMillis->toArray(),
            'first_request_ratio' => $this->first->toArray(),
            'costs' => array_map(static fn (PageCost $cost): array => $cost->toArray(), $this->costs),
            'rates' => array_map(static fn (PageRate $rate): array => $rate->toArray(), $this->rates),
        ];
    }
}

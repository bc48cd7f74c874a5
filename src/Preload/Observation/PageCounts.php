<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use Headroom\Preload\Page;

/**
 * How often which targets were asked for, by what they have in common: a route, or a shape. Of each a few examples are
 * kept and all requests are counted, so it stays small whatever is asked for.
 *
 * @internal
 */
final class PageCounts
{
    public const EXAMPLES = 3;

    public const PAGES = 200;

    /** Kept of each, of which the most frequent are taken. */
    private const MOST_EXAMPLES = 30;

    private const LONGEST = 2_048;

    /** @var array<string, int> requests */
    private array $requests = [];

    /** @var array<string, array<string, int>> requests by target */
    private array $targets = [];

    private int $leftOut = 0;

    public function __construct(private readonly int $most) {}

    public function add(string $kind, string $target, int $by = 1): void
    {
        if ($this->count($kind, $by)) {
            $this->example($kind, $target, $by);
        }
    }

    /** Requests of kinds that there was no room for. */
    public function leftOut(): int
    {
        return $this->leftOut;
    }

    /**
     * The most frequent kinds first, each with its most frequent examples, which share what all of its kind weigh.
     *
     * @return list<Page>
     */
    public function pages(int $most = self::PAGES): array
    {
        $pages = [];

        foreach (self::ordered($this->requests) as $kind => $requests) {
            $targets = array_slice(self::ordered($this->targets[$kind] ?? []), 0, self::EXAMPLES, true);
            $sum = max(1, array_sum($targets));

            foreach ($targets as $target => $count) {
                $pages[] = new Page('GET', $target, weight: max(1, (int) round($requests * $count / $sum)));
            }
        }

        usort($pages, static fn (Page $a, Page $b): int => [$b->weight, $a->target] <=> [$a->weight, $b->target]);

        return array_slice($pages, 0, $most);
    }

    /** @return array<string, array{requests: int, targets: array<string, int>}> by kind */
    public function toArray(): array
    {
        $kinds = [];

        foreach ($this->requests as $kind => $requests) {
            $kinds[$kind] = ['requests' => $requests, 'targets' => $this->targets[$kind] ?? []];
        }

        return $kinds;
    }

    /** @param array<array-key, array{requests: int, targets: array<array-key, int>}> $kinds */
    public function addAll(array $kinds): void
    {
        foreach ($kinds as $kind => $known) {
            if ($this->count((string) $kind, $known['requests'])) {
                foreach ($known['targets'] as $target => $count) {
                    $this->example((string) $kind, (string) $target, $count);
                }
            }
        }
    }

    private function count(string $kind, int $by): bool
    {
        if (! isset($this->requests[$kind]) && (count($this->requests) >= $this->most || ! self::isFit($kind))) {
            $this->leftOut += $by;

            return false;
        }

        $this->requests[$kind] = ($this->requests[$kind] ?? 0) + $by;

        return true;
    }

    private function example(string $kind, string $target, int $by): void
    {
        if (
            isset($this->targets[$kind][$target])
            || (count($this->targets[$kind] ?? []) < self::MOST_EXAMPLES && self::isFit($target))
        ) {
            $this->targets[$kind][$target] = ($this->targets[$kind][$target] ?? 0) + $by;
        }
    }

    /** JSON has UTF-8 only. */
    private static function isFit(string $text): bool
    {
        return strlen($text) <= self::LONGEST && preg_match('//u', $text) === 1;
    }

    /**
     * @param array<string, int> $counts
     * @return array<string, int> the most first, then by name, so that the same is said each time
     */
    private static function ordered(array $counts): array
    {
        uksort($counts, static fn (string $a, string $b): int => [$counts[$b], $a] <=> [$counts[$a], $b]);

        return $counts;
    }
}

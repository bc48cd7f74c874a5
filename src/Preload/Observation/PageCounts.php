<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use Headroom\Preload\ObservedRequests;
use Headroom\Preload\Page;

/**
 * Counts requests by kind, which is a route or a URL pattern, and keeps some example URLs of each. Its size is limited.
 *
 * @internal
 */
final class PageCounts
{
    public const EXAMPLES = 3;

    /** Examples that are counted for each kind. The most frequent ones become pages. */
    private const MAX_EXAMPLES = 30;

    private const MAX_LENGTH = 2_048;

    /** @var array<string, int> requests by kind */
    private array $requests = [];

    /** @var array<string, array<string, int>> requests by kind and target */
    private array $targets = [];

    private int $leftOut = 0;

    public function __construct(private readonly int $maxKinds) {}

    public function add(string $kind, string $target, int $by = 1): void
    {
        if ($this->count($kind, $by)) {
            $this->example($kind, $target, $by);
        }
    }

    /** Requests of kinds beyond the limit. */
    public function leftOut(): int
    {
        return $this->leftOut;
    }

    /**
     * The most frequent examples of the most frequent kinds. The examples of a kind share its weight.
     *
     * @return list<Page>
     */
    public function pages(int $limit = ObservedRequests::MAX_PAGES): array
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

        return array_slice($pages, 0, $limit);
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
    public function merge(array $kinds): void
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
        if (
            ! isset($this->requests[$kind])
            && (count($this->requests) >= $this->maxKinds || ! self::isStorable($kind))
        ) {
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
            || (count($this->targets[$kind] ?? []) < self::MAX_EXAMPLES && self::isStorable($target))
        ) {
            $this->targets[$kind][$target] = ($this->targets[$kind][$target] ?? 0) + $by;
        }
    }

    /** JSON allows UTF-8 only. */
    private static function isStorable(string $text): bool
    {
        return strlen($text) <= self::MAX_LENGTH && preg_match('//u', $text) === 1;
    }

    /**
     * @param array<string, int> $counts
     * @return array<string, int> the most frequent first, then by name, so that the order is always the same
     */
    private static function ordered(array $counts): array
    {
        uksort($counts, static fn (string $a, string $b): int => [$counts[$b], $a] <=> [$counts[$a], $b]);

        return $counts;
    }
}

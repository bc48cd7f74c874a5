<?php

declare(strict_types=1);

namespace Headroom\Preload;

use Headroom\Preload\Observation\PageCounts;

/**
 * What observed requests have used.
 *
 * Those of a PHP that preloads are apart: of a preloaded class nobody knows who used it, so they only add classes, and
 * lower nothing.
 *
 * @internal
 */
final readonly class ObservedRequests
{
    /**
     * @param int $requests of a PHP that does not preload
     * @param array<string, int> $uses how many of these used it, by class
     * @param int $afterPreload requests of a PHP that preloads
     * @param array<string, int> $usesAfterPreload how many of these used it, by class that is not preloaded
     * @param array<string, int> $preloaded during how many of these it was preloaded, by class:
     *     they tell nothing about it
     * @param list<Page> $pages the most frequent first
     * @param int $discarded requests of which nobody could tell whether they ran after a preload
     * @param int $busy requests that were not counted because another one was just being written down
     * @param int $leftOut uses and pages that there was no room for
     * @param ?int $since of the first one, Unix seconds; null when nothing was observed, or it was just done
     * @param ?int $until of the last one
     */
    public function __construct(
        public int $requests = 0,
        public array $uses = [],
        public int $afterPreload = 0,
        public array $usesAfterPreload = [],
        public array $preloaded = [],
        public array $pages = [],
        public int $discarded = 0,
        public int $busy = 0,
        public int $leftOut = 0,
        public ?int $since = null,
        public ?int $until = null,
    ) {}

    public function isEmpty(): bool
    {
        return $this->requests === 0 && $this->afterPreload === 0;
    }

    /**
     * Of requests that used it, 0 to 1: the greater of its shares before and after a preload, so that what came into
     * use since is added and nothing is dropped. Requests during which it was preloaded do not count. 0 for one that
     * was never seen but preloaded: nothing is known.
     */
    public function shareOf(string $class): float
    {
        $telling = $this->afterPreload - ($this->preloaded[$class] ?? 0);

        return max(
            ($this->uses[$class] ?? 0) / max(1, $this->requests),
            ($this->usesAfterPreload[$class] ?? 0) / max(1, $telling),
        );
    }

    /**
     * @return list<string> that were seen in use, the most used first; those that were seen after
     *     a preload only come last
     */
    public function classes(): array
    {
        return [...self::ordered($this->uses), ...self::ordered(array_diff_key($this->usesAfterPreload, $this->uses))];
    }

    public function merge(self $other): self
    {
        return new self(
            $this->requests + $other->requests,
            self::sum($this->uses, $other->uses),
            $this->afterPreload + $other->afterPreload,
            self::sum($this->usesAfterPreload, $other->usesAfterPreload),
            self::sum($this->preloaded, $other->preloaded),
            self::joined($this->pages, $other->pages),
            $this->discarded + $other->discarded,
            $this->busy + $other->busy,
            $this->leftOut + $other->leftOut,
            $this->since === null || $other->since === null
                ? $this->since ?? $other->since
                : min($this->since, $other->since),
            $this->until === null || $other->until === null
                ? $this->until ?? $other->until
                : max($this->until, $other->until),
        );
    }

    /**
     * @param array<string, int> $a
     * @param array<string, int> $b
     * @return array<string, int>
     */
    private static function sum(array $a, array $b): array
    {
        foreach ($b as $name => $count) {
            $a[$name] = ($a[$name] ?? 0) + $count;
        }

        return $a;
    }

    /**
     * @param list<Page> $a
     * @param list<Page> $b
     * @return list<Page>
     */
    private static function joined(array $a, array $b): array
    {
        $pages = [];

        foreach ([...$a, ...$b] as $page) {
            $key = "{$page->name()}\n{$page->contentType}\n{$page->body}";
            $pages[$key] = new Page(
                $page->method,
                $page->target,
                $page->body,
                $page->contentType,
                $page->weight + ($pages[$key]->weight ?? 0),
            );
        }

        usort($pages, static fn (Page $a, Page $b): int => [$b->weight, $a->name()] <=> [$a->weight, $b->name()]);

        return array_slice($pages, 0, PageCounts::PAGES);
    }

    /**
     * @param array<string, int> $uses
     * @return list<string>
     */
    private static function ordered(array $uses): array
    {
        uksort($uses, static fn (string $a, string $b): int => [$uses[$b], $a] <=> [$uses[$a], $b]);

        return array_keys($uses);
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Preload;

/**
 * The classes that observed requests used, and the pages that they were for.
 *
 * Requests of a PHP that preloads are counted separately. They do not show whether a preloaded class was used, so they
 * add classes and never lower the share of one.
 *
 * @internal
 */
final readonly class ObservedRequests
{
    public const MAX_PAGES = 200;

    /**
     * @param int $requests of a PHP that does not preload
     * @param array<string, int> $uses number of these requests that used the class, by class
     * @param int $afterPreload requests of a PHP that preloads
     * @param array<string, int> $usesAfterPreload the same for them, by class that was not preloaded
     * @param array<string, int> $preloaded number of requests during which the class was preloaded, which tell
     *     nothing about it, by class
     * @param list<Page> $pages the most frequent first
     * @param int $discarded requests of a PHP that does not tell whether it preloads
     * @param int $busy requests that were not counted because another one was being written
     * @param int $leftOut uses and pages beyond the limits of the file
     * @param ?int $since Unix time of the first sample; null without samples
     * @param ?int $until Unix time of the last sample
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
     * The share of requests that used the class, 0 to 1. It is the larger of the shares without and with preloading, so
     * that classes of new code are added and none is removed. Requests during which the class was preloaded do not
     * count. 0 for a class that was preloaded in every request, because nothing is known about it.
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
     * @return list<string> the most used first; classes of requests with preloading only come last
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

        return array_slice($pages, 0, self::MAX_PAGES);
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

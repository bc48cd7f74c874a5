<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use Headroom\Preload\ObservedRequests;

/**
 * The sum of the samples of one node, as its file has it. Its size is limited; what exceeds the limits is counted.
 *
 * @internal
 */
final class SampleTotals
{
    public const VERSION = 1;

    private const KIND = 'samples of headroom:preload';

    private const MAX_CLASSES = 20_000;

    private const MAX_KINDS = 1_000;

    private const MAX_LENGTH = 512;

    private int $requests = 0;

    /** @var array<string, int> */
    private array $uses = [];

    private int $afterPreload = 0;

    /** @var array<string, int> */
    private array $usesAfterPreload = [];

    /** @var array<string, int> requests during which the class was preloaded, by class */
    private array $preloaded = [];

    private readonly PageCounts $pages;

    private int $discarded = 0;

    private int $leftOut = 0;

    private ?int $since = null;

    private ?int $until = null;

    public function __construct()
    {
        $this->pages = new PageCounts(self::MAX_KINDS);
    }

    /** @param ?Sample $sample null for a request of a PHP that does not tell whether it preloads */
    public function add(?Sample $sample, int $now): void
    {
        $this->since ??= $now;
        $this->until = $now;

        if ($sample === null) {
            $this->discarded++;

            return;
        }

        if ($sample->preloaded === null) {
            $this->requests++;
            $this->uses = $this->sum($this->uses, array_fill_keys($sample->classes, 1));
        } else {
            $this->afterPreload++;
            $this->usesAfterPreload = $this->sum($this->usesAfterPreload, array_fill_keys($sample->classes, 1));
            $this->preloaded = $this->sum($this->preloaded, array_fill_keys($sample->preloaded, 1));
        }

        if ($sample->page !== null) {
            $this->pages->add($sample->route ?? UrlPattern::of($sample->page), $sample->page);
        }
    }

    /** Adds the samples of another node. */
    public function merge(self $other): void
    {
        $this->requests += $other->requests;
        $this->uses = $this->sum($this->uses, $other->uses);
        $this->afterPreload += $other->afterPreload;
        $this->usesAfterPreload = $this->sum($this->usesAfterPreload, $other->usesAfterPreload);
        $this->preloaded = $this->sum($this->preloaded, $other->preloaded);
        $this->pages->merge($other->pages->toArray());
        $this->discarded += $other->discarded;
        $this->leftOut += $other->leftOut + $other->pages->leftOut();
        $this->since = min($this->since ?? PHP_INT_MAX, $other->since ?? PHP_INT_MAX);
        $this->until = max($this->until ?? 0, $other->until ?? 0);
    }

    public function observed(int $busy): ObservedRequests
    {
        return new ObservedRequests(
            $this->requests,
            $this->uses,
            $this->afterPreload,
            $this->usesAfterPreload,
            $this->preloaded,
            $this->pages->pages(),
            $this->discarded,
            $busy,
            $this->leftOut + $this->pages->leftOut(),
            $this->since,
            $this->until,
        );
    }

    public function json(): string
    {
        return json_encode([
            'kind' => self::KIND,
            'version' => self::VERSION,
            'since' => $this->since,
            'until' => $this->until,
            'requests' => $this->requests,
            'after_preload' => $this->afterPreload,
            'discarded' => $this->discarded,
            'left_out' => $this->leftOut + $this->pages->leftOut(),
            'uses' => (object) $this->uses,
            'uses_after_preload' => (object) $this->usesAfterPreload,
            'preloaded' => (object) $this->preloaded,
            'pages' => (object) array_map(
                static fn (array $known): array => [...$known, 'targets' => (object) $known['targets']],
                $this->pages->toArray(),
            ),
        ], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE)."\n";
    }

    /** @throws InvalidSamples */
    public static function fromJson(string $text, string $file): self
    {
        $values = json_decode($text, true);

        if (! is_array($values) || ($values['kind'] ?? null) !== self::KIND) {
            throw InvalidSamples::foreign($file, $text);
        }

        if (($values['version'] ?? null) !== self::VERSION) {
            throw InvalidSamples::version($file, $values['version'] ?? null, self::VERSION);
        }

        $fields = new SampleFields($values, $file);
        $totals = new self;
        $totals->requests = $fields->count('requests');
        $totals->uses = $fields->counts('uses');
        $totals->afterPreload = $fields->count('after_preload');
        $totals->usesAfterPreload = $fields->counts('uses_after_preload');
        $totals->preloaded = $fields->counts('preloaded');
        $totals->pages->merge($fields->kinds('pages'));
        $totals->discarded = $fields->count('discarded');
        $totals->leftOut = $fields->count('left_out');
        $totals->since = $fields->count('since');
        $totals->until = $fields->count('until');

        return $totals;
    }

    /**
     * @param array<string, int> $uses
     * @param array<string, int> $more
     * @return array<string, int>
     */
    private function sum(array $uses, array $more): array
    {
        foreach ($more as $class => $count) {
            if (isset($uses[$class]) || (count($uses) < self::MAX_CLASSES && self::isStorable($class))) {
                $uses[$class] = ($uses[$class] ?? 0) + $count;
            } else {
                $this->leftOut += $count;
            }
        }

        return $uses;
    }

    /** JSON allows UTF-8 only. */
    private static function isStorable(string $class): bool
    {
        return strlen($class) <= self::MAX_LENGTH && preg_match('//u', $class) === 1;
    }
}

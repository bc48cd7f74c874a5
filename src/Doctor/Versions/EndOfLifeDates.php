<?php

declare(strict_types=1);

namespace Headroom\Doctor\Versions;

use DateTimeImmutable;
use Headroom\Doctor\FactUnavailable;

/**
 * The end of security fixes of each version, from endoflife.date at the time of this release.
 *
 * @internal
 */
final readonly class EndOfLifeDates
{
    private const FILE = __DIR__.'/../../../resources/end-of-life.json';

    private DateTimeImmutable $today;

    /**
     * @param string $date of the data, as 2026-08-22
     * @param array<array-key, mixed> $products ends by version by product; null if none is announced
     */
    private function __construct(DateTimeImmutable $today, public string $date, private array $products)
    {
        // A clock that is behind the data is wrong: a machine without a battery starts in 1970.
        $this->today = max($today, new DateTimeImmutable($date));
    }

    /** @throws FactUnavailable */
    public static function read(DateTimeImmutable $today, string $file = self::FILE): self
    {
        $document = json_decode((string) @file_get_contents($file), true);
        $date = is_array($document) ? $document['date'] ?? null : null;
        $products = is_array($document) ? $document['products'] ?? null : null;

        return is_string($date) && is_array($products)
            ? new self($today, $date, $products)
            : throw FactUnavailable::because(
                "{$file} is not the file of this package.",
                'composer reinstall headroom/headroom',
            );
    }

    /** @return ?ReleaseCycle null for a version that the data does not have */
    public function of(string $product, string $version): ?ReleaseCycle
    {
        $ends = $this->products[$product] ?? [];
        $parts = explode('.', $version);

        // The cycle of 8.2.29 is 8.2, that of Laravel 12.3.1 is 12.
        for ($length = 2; $length > 0; $length--) {
            $cycle = implode('.', array_slice($parts, 0, $length));

            if (is_array($ends) && array_key_exists($cycle, $ends)) {
                return new ReleaseCycle($cycle, is_string($ends[$cycle]) ? new DateTimeImmutable($ends[$cycle]) : null);
            }
        }

        return null;
    }

    /** @return ?ReleaseCycle of the oldest version of the data that is newer than this one; null where none is */
    public function after(string $product, string $version): ?ReleaseCycle
    {
        $ends = $this->products[$product] ?? [];
        $after = null;

        foreach (array_map(strval(...), array_keys(is_array($ends) ? $ends : [])) as $cycle) {
            $isBetter = $after === null || version_compare($cycle, $after, '<');
            $after = $isBetter && version_compare($cycle, $version, '>') ? $cycle : $after;
        }

        return $after === null ? null : $this->of($product, $after);
    }

    /** An end that the data does not have may have been announced since. */
    public function isStale(): bool
    {
        return $this->today > new DateTimeImmutable("{$this->date} +1 year");
    }

    public function isOver(ReleaseCycle $end): bool
    {
        return $end->date !== null && $end->date < $this->today;
    }

    /** @return ?string the newest version that gets fixes */
    public function newest(string $product): ?string
    {
        $newest = null;
        $ends = $this->products[$product] ?? [];

        foreach (array_map(strval(...), array_keys(is_array($ends) ? $ends : [])) as $cycle) {
            $end = $this->of($product, $cycle);
            $isBetter = $newest === null || version_compare($cycle, $newest, '>');
            $newest = $end !== null && ! $this->isOver($end) && $isBetter ? $cycle : $newest;
        }

        return $newest;
    }
}

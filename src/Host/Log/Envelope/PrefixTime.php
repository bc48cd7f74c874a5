<?php

declare(strict_types=1);

namespace Headroom\Host\Log\Envelope;

use Headroom\Core\Clock;
use Headroom\Host\Log\Months;

/**
 * The times in prefixes, as local times: the zone is dropped, because logs without a prefix have no zone.
 *
 * @internal
 */
final class PrefixTime
{
    private string $last = '';

    private ?string $known = null;

    public function __construct(private readonly Clock $clock) {}

    /** @return ?string "2026-03-02 10:15:05" */
    public function of(string $text): ?string
    {
        // Many lines share a second, but few share a microsecond.
        if ($text !== $this->last) {
            [$this->last, $this->known] = [$text, $this->read($text)];
        }

        return $this->known;
    }

    private function read(string $text): ?string
    {
        if (preg_match('/(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)/', $text, $m) === 1) {
            return "{$m[1]} {$m[2]}";
        }

        if (preg_match('/\A\d{9,11}(?=\.|\z)/', $text, $m) === 1) {
            return gmdate('Y-m-d H:i:s', (int) $m[0]);
        }

        if (preg_match('/\A([A-Z][a-z]{2}) ([ \d]\d) (?:(\d{4}) )?(\d\d:\d\d:\d\d)/', $text, $m) !== 1) {
            return null;
        }

        $month = Months::number($m[1]);

        return $month === null ? null : $this->inYear($m[3], sprintf('-%02d-%02d %s', $month, (int) $m[2], $m[4]));
    }

    /** RFC 3164 has no year. A log has no future dates, so December read in January belongs to the previous year. */
    private function inYear(string $year, string $rest): string
    {
        if ($year !== '') {
            return $year.$rest;
        }

        $tomorrow = intdiv($this->clock->micros(), 1_000_000) + 86_400;
        $year = (int) gmdate('Y', $tomorrow);

        return ("{$year}{$rest}" > gmdate('Y-m-d H:i:s', $tomorrow) ? $year - 1 : $year).$rest;
    }
}

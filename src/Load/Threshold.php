<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * A figure of a run that must not be: 'error_rate>1%', 'p95>500ms', 'requests_per_second<100'.
 */
final readonly class Threshold
{
    private const FORM = '/\A(?<figure>[a-z_]+|p\d{1,2}(?:\.\d{1,3})?)\s*(?<operator>[<>]=?)\s*(?<number>\d{1,12}(?:\.\d{1,6})?)\s*(?<unit>%|us|ms|s|\/s)?\z/';

    private const ALLOWED = "a figure, <, <=, > or >=, and a limit: 'error_rate>1%', 'p95>500ms', 'requests_per_second<100'. Figures are error_rate (%), errors, late, dropped, requests_per_second, succeeded_per_second, and min, mean, max, p50, p99.9 and the like (us, ms or s)";

    private const MICROS = ['us' => 1, 'ms' => 1_000, 's' => 1_000_000];

    private const COUNTS = ['errors', 'late', 'dropped'];

    private const RATES = ['requests_per_second', 'succeeded_per_second'];

    private const TIMES = ['min', 'mean', 'max'];

    private function __construct(public string $text, private string $figure, private string $operator, private float $limit) {}

    /** @throws InvalidPlan */
    public static function parse(string $text): self
    {
        if (preg_match(self::FORM, $text, $m) !== 1) {
            throw InvalidPlan::option('fail-if', $text, self::ALLOWED);
        }

        $unit = $m['unit'] ?? '';
        $units = match (true) {
            $m['figure'] === 'error_rate' => ['%'],
            in_array($m['figure'], self::COUNTS, true) => [''],
            in_array($m['figure'], self::RATES, true) => ['', '/s'],
            in_array($m['figure'], self::TIMES, true), self::percent($m['figure']) !== null => ['us', 'ms', 's'],
            default => [],
        };

        if (! in_array($unit, $units, true)) {
            throw InvalidPlan::option('fail-if', $text, self::ALLOWED);
        }

        $number = (float) $m['number'];

        return new self($text, $m['figure'], $m['operator'], $unit === '%' ? $number / 100 : $number * (self::MICROS[$unit] ?? 1));
    }

    /** In shares, counts, per second or microseconds, as the figure is; null when there was nothing to tell it from. */
    public function seen(LoadResult $result): ?float
    {
        $times = $result->latencyWithTimeouts();
        $percent = self::percent($this->figure);

        return match ($this->figure) {
            'error_rate' => $result->errorRate(),
            'errors' => (float) ($result->finished() - $result->succeeded()),
            'late' => (float) ($result->schedule->late ?? 0),
            'dropped' => (float) ($result->schedule->dropped ?? 0),
            'requests_per_second' => $result->requestsPerSecond(),
            'succeeded_per_second' => $result->succeededPerSecond(),
            'min' => self::float($times->min()),
            'mean' => $times->mean(),
            'max' => self::float($times->max()),
            default => $percent === null ? null : self::float($times->percentile($percent)),
        };
    }

    /** A figure that there is nothing to tell from is no reason to pass. */
    public function isBroken(LoadResult $result): bool
    {
        $seen = $this->seen($result);

        return $seen === null || match ($this->operator) {
            '>' => $seen > $this->limit,
            '>=' => $seen >= $this->limit,
            '<' => $seen < $this->limit,
            default => $seen <= $this->limit,
        };
    }

    public function isTime(): bool
    {
        return in_array($this->figure, self::TIMES, true) || self::percent($this->figure) !== null;
    }

    /** Whether only the open model has it. */
    public function isOfSchedule(): bool
    {
        return in_array($this->figure, ['late', 'dropped'], true);
    }

    public function isShare(): bool
    {
        return $this->figure === 'error_rate';
    }

    private static function percent(string $figure): ?float
    {
        return preg_match('/\Ap(\d{1,2}(?:\.\d{1,3})?)\z/', $figure, $m) === 1 ? (float) $m[1] : null;
    }

    private static function float(?int $value): ?float
    {
        return $value === null ? null : (float) $value;
    }
}

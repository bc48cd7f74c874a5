<?php

declare(strict_types=1);

namespace Headroom\Load\Compare;

use JsonException;

/**
 * A result read from the JSON file of a run.
 */
final readonly class SavedResult
{
    private const NUMBERS = ['error_rate', 'requests_per_second', 'seconds', 'sent', 'succeeded', 'unfinished'];

    /**
     * @param array<string, string> $plan as text, with the address and the method
     * @param array<string, ?float> $metrics by ComparedMetric
     * @param array<string, list<?float>> $intervals by ComparedMetric, the value in each interval
     * @param int $finished requests that ended
     * @param float $width seconds of an interval
     * @param list<string> $doubts reasons not to trust the result
     * @param ?string $run start and end, which identify the run; null if the file does not have them
     */
    private function __construct(
        public array $plan,
        private array $metrics,
        private array $intervals,
        private int $finished,
        private float $width,
        public float $seconds,
        public array $doubts,
        public ?string $run,
    ) {}

    /** @throws UnableToCompare */
    public static function read(string $path): self
    {
        $text = is_file($path) ? @file_get_contents($path) : false;

        if ($text === false) {
            throw UnableToCompare::unreadable($path);
        }

        try {
            $result = json_decode($text, true, flags: JSON_THROW_ON_ERROR);
        } catch (JsonException $e) {
            throw UnableToCompare::noResult($path, "it is not JSON ({$e->getMessage()})");
        }

        foreach (['plan', 'latency_us', 'timeline', ...self::NUMBERS] as $key) {
            if (! is_array($result) || ! array_key_exists($key, $result)) {
                throw UnableToCompare::noResult($path, "it has no '{$key}'");
            }
        }

        self::check($path, $result);

        return self::fromArray($result);
    }

    public function metric(ComparedMetric $metric): ?float
    {
        return $this->metrics[$metric->value] ?? null;
    }

    /**
     * @internal
     *
     * @return ?Estimate null if the run is too short
     */
    public function estimate(ComparedMetric $metric): ?Estimate
    {
        $value = $this->metric($metric);
        $intervals = $this->intervals[$metric->ofIntervals()->value] ?? [];

        return match (true) {
            $value === null => null,
            $metric
                === ComparedMetric::ErrorRate => Estimate::ofShare($value, $this->finished, $intervals, $this->width),
            default => Estimate::ofIntervals($value, $intervals, $this->width),
        };
    }

    /**
     * @param array<array-key, mixed> $result
     *
     * @throws UnableToCompare
     */
    private static function check(string $path, array $result): void
    {
        foreach (['plan', 'latency_us', 'timeline'] as $key) {
            if (! is_array($result[$key] ?? null)) {
                throw UnableToCompare::noResult(
                    $path,
                    "its '{$key}' is ".get_debug_type($result[$key] ?? null).' and not '
                        .($key === 'timeline' ? 'a list' : 'an object'),
                );
            }
        }

        $numbers = [
            ...array_intersect_key($result, array_flip(self::NUMBERS)),
            ...self::within(self::within($result, 'latency_us'), 'with_timeouts'),
        ];

        foreach ($numbers as $key => $value) {
            if (! is_int($value) && ! is_float($value) && $value !== null) {
                throw UnableToCompare::noResult($path, "its '{$key}' is ".get_debug_type($value).' and not a number');
            }
        }

        array_walk_recursive($result, static function (mixed $value, int|string $key) use ($path): void {
            // PHP decodes 1e999 as infinity.
            if (is_float($value) && ! is_finite($value)) {
                throw UnableToCompare::noResult($path, "its '{$key}' is a number beyond 1.8e308");
            }
        });
    }

    /** @param array<array-key, mixed> $result */
    private static function fromArray(array $result): self
    {
        $latency = self::within(self::within($result, 'latency_us'), 'with_timeouts');
        $metrics = [];
        $intervals = [];

        $succeeded = self::number($result, 'succeeded') ?? 0.0;
        $finished = (int) ((self::number($result, 'sent') ?? 0.0) - (self::number($result, 'unfinished') ?? 0.0));

        foreach (ComparedMetric::cases() as $metric) {
            // Without a success, times and rates are those of error responses.
            $isKnown = $succeeded > 0.0 || $metric === ComparedMetric::ErrorRate;
            $from = $metric->isTime() ? $latency : $result;
            $metrics[$metric->value] = $isKnown ? self::number($from, $metric->value) : null;
        }

        foreach (self::within($result, 'timeline') as $interval) {
            foreach (is_array($interval) ? self::ofInterval($interval, self::width($result)) : [] as $name => $value) {
                $intervals[$name][] = $value;
            }
        }

        $plan = [];

        foreach ([
            'url' => $result['url'] ?? null,
            'method' => $result['method'] ?? null,
        ] + self::within($result, 'plan') as $key => $value) {
            $plan[(string) $key] = is_string($value) ? $value : json_encode($value, JSON_THROW_ON_ERROR);
        }

        $doubts = array_filter([
            'lost a process, so its result is incomplete' => ($result['lost'] ?? []) !== [],
            'has no successful request, so its times and rates are not compared' => $succeeded <= 0.0,
            'was stopped before its end' => $result['stopped_early'] ?? false,
            'may show the limit of the load generator instead of the server\'s' => self::within(
                $result,
                'client',
            )['limited'] ?? false,
        ], static fn (mixed $isSo): bool => $isSo === true);

        return new self(
            $plan,
            $metrics,
            $intervals,
            $finished,
            self::width($result),
            self::number($result, 'seconds') ?? 0.0,
            array_keys($doubts),
            self::run($result),
        );
    }

    /** @param array<array-key, mixed> $result */
    private static function run(array $result): ?string
    {
        [$started, $finished] = [$result['started_monotonic_ns'] ?? null, $result['finished_at'] ?? null];

        return is_int($started) && is_string($finished) ? "{$started} {$finished}" : null;
    }

    /**
     * @param array<array-key, mixed> $interval
     * @return array<string, ?float>
     */
    private static function ofInterval(array $interval, float $width): array
    {
        $seconds = self::number($interval, 'seconds') ?? 0.0;

        // The last interval may be too short to be representative.
        if ($seconds < $width / 2 || $seconds <= 0.0) {
            return [];
        }

        $errors = array_sum(array_filter(self::within($interval, 'errors'), is_int(...)));
        $ended = $errors + (self::number($interval, 'succeeded') ?? 0.0);
        $values = [
            ComparedMetric::RequestsPerSecond->value => $ended / $seconds,
            ComparedMetric::ErrorRate->value => $ended > 0.0 ? $errors / $ended : null,
        ];

        foreach (ComparedMetric::cases() as $metric) {
            if ($metric->isTime()) {
                $values[$metric->value] = self::number(self::within($interval, 'latency_us'), $metric->value);
            }
        }

        return $values;
    }

    /** @param array<array-key, mixed> $result */
    private static function width(array $result): float
    {
        $first = self::within($result, 'timeline')[0] ?? [];

        return is_array($first) ? self::number($first, 'seconds') ?? 0.0 : 0.0;
    }

    /**
     * @param array<array-key, mixed> $values
     * @return array<array-key, mixed>
     */
    private static function within(array $values, string $key): array
    {
        $inner = $values[$key] ?? [];

        return is_array($inner) ? $inner : [];
    }

    /** @param array<array-key, mixed> $values */
    private static function number(array $values, string $key): ?float
    {
        $value = $values[$key] ?? null;

        return is_int($value) || is_float($value) ? (float) $value : null;
    }
}

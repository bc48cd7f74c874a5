<?php

declare(strict_types=1);

namespace Headroom\Charts;

use DateTimeImmutable;
use DateTimeZone;

/**
 * The query of a chart, parsed and validated from the parameters of a URL.
 *
 * @internal
 */
final readonly class ChartQuery
{
    private const RANGES = ['1h' => 3_600, '24h' => 86_400, '7d' => 604_800, '30d' => 2_592_000];

    private const KNOWN = ['range', 'from', 'to', 'interval', 'split', 'group', 'prefix', 'top', 'zone'];

    /** RFC 3339. A time without an offset is ambiguous. */
    private const TIME = '/\A\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)\z/';

    private const MAX_DAYS = 3_660;

    private const MAX_TOP = 20;

    private const MAX_PREFIX_BYTES = 200;

    /**
     * @param int $from seconds since the Unix epoch, inclusive
     * @param int $to seconds since the Unix epoch, exclusive
     * @param int $top number of names with a series of their own; all others share one
     * @param string $zone time zone in which a day begins at midnight
     */
    private function __construct(
        public int $from,
        public int $to,
        public ChartInterval $interval,
        public SplitBy $split,
        public EventGroup $group,
        public string $prefix,
        public int $top,
        public string $zone,
    ) {}

    /**
     * @param array<array-key, mixed> $parameters of the URL
     * @param int $now seconds since the Unix epoch
     *
     * @throws InvalidChartQuery
     */
    public static function from(array $parameters, int $now): self
    {
        foreach (array_keys($parameters) as $name) {
            if (! in_array($name, self::KNOWN, true)) {
                throw InvalidChartQuery::unknown((string) $name, self::KNOWN);
            }
        }

        [$from, $to] = self::range($parameters, $now);
        $interval = isset($parameters['interval'])
            ? ChartInterval::of($to - $from, self::number($parameters, 'interval', 1, 31_536_000, 1))
            : ChartInterval::for($to - $from);

        return new self(
            $from,
            $to,
            $interval,
            SplitBy::tryFrom($split = self::text($parameters, 'split', 'type')) ?? throw InvalidChartQuery::notAllowed(
                'split',
                $split,
                'one of '.implode(', ', array_column(SplitBy::cases(), 'value')),
            ),
            EventGroup::tryFrom($group = self::text($parameters, 'group', 'all'))
                ?? throw InvalidChartQuery::notAllowed(
                    'group',
                    $group,
                    'one of '.implode(', ', array_column(EventGroup::cases(), 'value')),
                ),
            self::prefix($parameters),
            self::number($parameters, 'top', 1, self::MAX_TOP, 8),
            self::zone($parameters),
        );
    }

    /**
     * @param array<array-key, mixed> $parameters
     * @return array{int, int}
     */
    private static function range(array $parameters, int $now): array
    {
        if (! isset($parameters['from']) && ! isset($parameters['to'])) {
            $range = self::text($parameters, 'range', '24h');

            // The range ends one second later, so it includes events of the current second.
            return [
                $now + 1
                    - (self::RANGES[$range] ?? throw InvalidChartQuery::notAllowed(
                        'range',
                        $range,
                        'one of '.implode(', ', array_keys(self::RANGES)),
                    )),
                $now + 1,
            ];
        }

        if (isset($parameters['range'])) {
            throw InvalidChartQuery::both('range', isset($parameters['from']) ? 'from' : 'to');
        }

        [
            $from, $to,
        ] = [self::time($parameters, 'from'), isset($parameters['to']) ? self::time($parameters, 'to') : $now + 1];
        $days = intdiv($to - $from, 86_400);

        return match (true) {
            $from >= $to => throw InvalidChartQuery::noRange($from, $to),
            $days > self::MAX_DAYS => throw InvalidChartQuery::tooLong($days, self::MAX_DAYS),
            default => [$from, $to],
        };
    }

    /** @param array<array-key, mixed> $parameters */
    private static function time(array $parameters, string $name): int
    {
        $text = self::text($parameters, $name, '');
        $time = preg_match(self::TIME, $text) === 1 ? date_create_immutable($text) : false;
        $isReal = $time instanceof DateTimeImmutable && str_starts_with($text, $time->format('Y-m-d\TH:i'));

        return $isReal
            ? $time->getTimestamp()
            : throw InvalidChartQuery::notAllowed($name, $text, 'a time with its offset, such as 2026-03-01T12:00:00Z');
    }

    /** @param array<array-key, mixed> $parameters */
    private static function prefix(array $parameters): string
    {
        $prefix = self::text($parameters, 'prefix', '');

        return strlen($prefix) <= self::MAX_PREFIX_BYTES && mb_check_encoding($prefix, 'UTF-8')
            ? $prefix
            : throw InvalidChartQuery::notAllowed(
                'prefix',
                $prefix,
                'the beginning of a type, at most '.self::MAX_PREFIX_BYTES.' bytes of UTF-8',
            );
    }

    /** @param array<array-key, mixed> $parameters */
    private static function zone(array $parameters): string
    {
        $zone = self::text($parameters, 'zone', 'UTC');

        // Browsers still send old names such as Asia/Calcutta.
        return in_array($zone, timezone_identifiers_list(DateTimeZone::ALL_WITH_BC), true)
            ? $zone
            : throw InvalidChartQuery::notAllowed('zone', $zone, 'a time zone, such as Europe/Amsterdam');
    }

    /** @param array<array-key, mixed> $parameters */
    private static function number(array $parameters, string $name, int $min, int $max, int $default): int
    {
        $text = self::text($parameters, $name, (string) $default);
        $number = preg_match('/\A\d{1,9}\z/', $text) === 1 ? (int) $text : -1;

        return $number >= $min && $number <= $max
            ? $number
            : throw InvalidChartQuery::notAllowed($name, $text, "a whole number from {$min} to {$max}");
    }

    /** @param array<array-key, mixed> $parameters */
    private static function text(array $parameters, string $name, string $default): string
    {
        $value = $parameters[$name] ?? $default;

        return is_string($value) ? $value : throw InvalidChartQuery::notAllowed($name, $value, 'a single string');
    }
}

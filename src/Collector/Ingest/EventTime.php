<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use DateTimeImmutable;
use DateTimeZone;
use Throwable;

use function intdiv;
use function preg_match;
use function sprintf;
use function str_pad;
use function strlen;
use function strtoupper;
use function substr;

/**
 * Times in their stored form: UTC with microseconds, the ordinary form of Core\Date.
 *
 * @internal
 */
final readonly class EventTime
{
    private const RFC3339 = '/\A\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt ]'
        .'(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d{1,18})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)\z/';

    /** In UTC, on a day that every month has. */
    private const PLAIN =
        '/\A(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z\z/';

    private const FORM = 'Y-m-d\TH:i:s.uP';

    /**
     * Truncates to microseconds. A leap second becomes the second after it.
     *
     * @return ?string null if it is not an RFC 3339 time, or outside the years 1 to 9999 in UTC
     */
    public static function parse(string $text): ?string
    {
        if (preg_match(self::PLAIN, $text) === 1) {
            return substr($text, 0, 19).'.'.str_pad(substr($text, 20, min(6, strlen($text) - 21)), 6, '0').'+00:00';
        }

        if (preg_match(self::RFC3339, $text) !== 1 || ! self::isDay($text)) {
            return null;
        }

        try {
            $date = (new DateTimeImmutable(strtoupper($text)))->setTimezone(new DateTimeZone('UTC'))
                ->format(self::FORM);
        } catch (Throwable) {
            return null;
        }

        return strlen($date) === 32 && $date[0] !== '-' && substr($date, 0, 4) !== '0000' ? $date : null;
    }

    public static function fromMicros(int $micros): string
    {
        return gmdate('Y-m-d\TH:i:s', intdiv($micros, 1_000_000)).sprintf('.%06d+00:00', $micros % 1_000_000);
    }

    private static function isDay(string $text): bool
    {
        return checkdate((int) substr($text, 5, 2), (int) substr($text, 8, 2), max(1, (int) substr($text, 0, 4)));
    }
}

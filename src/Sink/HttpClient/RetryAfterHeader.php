<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use DateTimeImmutable;
use DateTimeZone;

/**
 * The Retry-After header: RFC 9110, 10.2.3, with the three date formats of 5.6.7.
 *
 * @internal
 */
final readonly class RetryAfterHeader
{
    /** A year. A longer time is an error of the server, and could overflow an integer. */
    private const MAX_SECONDS = 31_536_000;

    /** IMF-fixdate, RFC 850, asctime. The weekday is ignored: PHP would move the date to it. */
    private const FORMATS = [
        '/\A[A-Z][a-z]{2}, (\d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2}) GMT\z/' => 'd M Y H:i:s',
        '/\A[A-Z][a-z]{5,8}, (\d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2}) GMT\z/' => 'd-M-y H:i:s',
        '/\A[A-Z][a-z]{2} ([A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})\z/' => 'M j H:i:s Y',
    ];

    /**
     * @param ?string $date the Date header of the same response. A date in Retry-After is compared with it and not with
     * our clock, so neither clock has to be right
     * @param int $now seconds since the Unix epoch, used if there is no Date header
     * @return int<0, max>|null seconds; null if the header cannot be parsed
     */
    public static function seconds(?string $value, ?string $date, int $now): ?int
    {
        $value = trim($value ?? '');

        // More digits than an integer holds mean the maximum, too.
        if (preg_match('/\A\d+\z/', $value) === 1) {
            return strlen(ltrim($value, '0')) > 9 ? self::MAX_SECONDS : max(0, min(self::MAX_SECONDS, (int) $value));
        }

        $now = self::time(trim($date ?? ''), $now) ?? $now;
        $then = self::time($value, $now);

        return $then === null ? null : max(0, min(self::MAX_SECONDS, $then - $now));
    }

    private static function time(string $text, int $now): ?int
    {
        foreach (self::FORMATS as $pattern => $format) {
            if (preg_match($pattern, $text, $m) !== 1) {
                continue;
            }

            $time = DateTimeImmutable::createFromFormat(
                "!{$format}",
                (string) preg_replace('/ +/', ' ', $m[1]),
                new DateTimeZone('UTC'),
            );

            // PHP reads 31 February as 3 March and reports a warning. It also warns of a leap second, which is valid.
            if ($time === false || (DateTimeImmutable::getLastErrors() !== false && ! str_contains($text, ':60'))) {
                return null;
            }

            return $format === 'd-M-y H:i:s' ? self::withCentury($time, $now) : $time->getTimestamp();
        }

        return null;
    }

    /** A year of two digits is at most 50 years ahead (RFC 9110). PHP uses a fixed year instead. */
    private static function withCentury(DateTimeImmutable $time, int $now): int
    {
        $ahead = $time->getTimestamp() - $now;

        return match (true) {
            $ahead > 50 * self::MAX_SECONDS => $time->modify('-100 years')->getTimestamp(),
            $ahead < -50 * self::MAX_SECONDS => $time->modify('+100 years')->getTimestamp(),
            default => $time->getTimestamp(),
        };
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Host\AccessLog;

use Headroom\Host\Log\LineReader;
use Headroom\Host\Log\Months;

/**
 * Reads access logs of Apache and nginx line by line and in constant memory. It knows the common format, and the
 * combined format with or without times after it.
 *
 * @internal
 */
final class AccessLogReader
{
    /** A quoted field. Apache writes a quote inside it as \", nginx as \x22. */
    private const QUOTED = '"([^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+)"';

    /**
     * client identity user [date] "request" status bytes "referer" "agent" and the rest;
     * a user name may contain blanks.
     */
    private const LINE = '/\A(\S++) (\S++) (.*?) \[([^\]]*+)\] '.self::QUOTED.' (\d{3}|-) (\d{1,18}+|-)(?: '
        .self::QUOTED.' '.self::QUOTED.'(?: (.*))?)?\z/s';

    private const DATE = '~\A(\d{2})/([A-Z][a-z]{2})/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2})\z~';

    private const ESCAPES = ['n' => "\n", 'r' => "\r", 't' => "\t", 'v' => "\v", 'b' => "\x08", 'f' => "\f"];

    private string $date = '';

    private ?int $time = null;

    /**
     * @param iterable<string> $lines without line ends
     * @return iterable<AccessLogEntry|Unparsed> one for each line
     */
    public function entries(iterable $lines): iterable
    {
        $number = 0;

        foreach ($lines as $line) {
            yield $this->entry($line, ++$number);
        }
    }

    private function entry(string $line, int $number): AccessLogEntry|Unparsed
    {
        if (strlen($line) >= LineReader::LONGEST || preg_match(self::LINE, $line, $m, PREG_UNMATCHED_AS_NULL) !== 1) {
            return new Unparsed($number, self::reason($line), $line);
        }

        $time = $this->time($m[4]);

        if ($time === null) {
            return new Unparsed($number, UnparsedReason::InvalidDate, $line);
        }

        [$method, $target, $protocol] = self::request(self::unescaped($m[5]));

        return new AccessLogEntry(
            $m[1],
            self::optional($m[3]),
            $time,
            $method,
            $target,
            $protocol,
            self::number($m[6]),
            self::number($m[7]),
            self::optional($m[8] ?? null),
            self::optional($m[9] ?? null),
            isset($m[10]) ? Timings::parse($m[10]) : Timings::none(),
        );
    }

    private static function reason(string $line): UnparsedReason
    {
        return match (true) {
            $line === '' => UnparsedReason::Empty,
            strlen($line) >= LineReader::LONGEST => UnparsedReason::TooLong,
            preg_match('/\A\S++ \S++ .*? \[[^\]]*+\] "/s', $line) === 1
                && ((int) preg_match_all('/(?<!\\\\)(?:\\\\\\\\)*+"/', $line)) % 2 === 1 => UnparsedReason::OpenQuote,
            default => UnparsedReason::NotAccessLog,
        };
    }

    /** @return array{?string, ?string, ?string} method, target and protocol */
    private static function request(string $request): array
    {
        // Some targets contain blanks although none should; an HTTP/0.9 request has no protocol.
        return preg_match('~\A([!#$%&\'*+.^_`|\~0-9A-Za-z-]+) (.+?)(?: (HTTP/\d(?:\.\d)?))?\z~s', $request, $m) === 1
            ? [$m[1], $m[2], $m[3] ?? null]
            : [null, null, null];
    }

    private function time(string $date): ?int
    {
        // A busy server finishes many requests in the same second.
        if ($date === $this->date) {
            return $this->time;
        }

        [$this->date, $this->time] = [$date, null];

        if (preg_match(self::DATE, $date, $m) !== 1 || ($month = Months::number($m[2])) === null) {
            return null;
        }

        [$day, $year, $hour, $minute, $second] = [(int) $m[1], (int) $m[3], (int) $m[4], (int) $m[5], (int) $m[6]];

        // 60 is a leap second.
        if (! checkdate($month, $day, $year) || $hour > 23 || $minute > 59 || $second > 60 || (int) $m[9] > 59) {
            return null;
        }

        $zone = ((int) $m[8] * 60 + (int) $m[9]) * 60;
        $time = gmmktime($hour, $minute, $second, $month, $day, $year);

        return $this->time = $time === false ? null : $time - ($m[7] === '+' ? $zone : -$zone);
    }

    private static function number(string $text): ?int
    {
        return $text === '-' ? null : (int) $text;
    }

    private static function optional(?string $text): ?string
    {
        return $text === null || $text === '-' || $text === '' ? null : self::unescaped($text);
    }

    private static function unescaped(string $text): string
    {
        return ! str_contains($text, '\\') ? $text : (string) preg_replace_callback(
            '/\\\\(?:x([0-9A-Fa-f]{2})|(.))/s',
            static fn (array $m): string => $m[1] !== '' ? chr((int) hexdec($m[1])) : self::ESCAPES[$m[2]] ?? $m[2],
            $text,
        );
    }
}

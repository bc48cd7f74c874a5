<?php

declare(strict_types=1);

namespace Headroom\Core;

use DateTimeImmutable;

use function count;
use function preg_grep;
use function preg_match;
use function substr;

/**
 * A date and time of an event, kept as the text of the log. Most sinks need only the text, and a DateTimeImmutable
 * costs as much as half of the row's JSON.
 */
final readonly class Date
{
    /**
     * The format of most databases.
     *
     * @internal
     */
    public const SQL = 'Y-m-d H:i:s';

    private const FORM = 'Y-m-d\TH:i:s.uP';

    /**
     * The format of almost all dates. Other valid dates, such as an offset with seconds, become a DateTimeImmutable.
     */
    private const ORDINARY =
        '/\A(?:\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)'
            .'|(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)'
            .'T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}[+-](?:0\d|1[0-4]):[0-5]\d\z/';

    private function __construct(public string $text) {}

    /** @return self|DateTimeImmutable|null null if the text is not a date */
    public static function parse(string $text): self|DateTimeImmutable|null
    {
        if (preg_match(self::ORDINARY, $text) === 1) {
            return new self($text);
        }

        // createFromFormat() throws if the text has a NUL byte.
        $date = str_contains($text, "\0") ? false : DateTimeImmutable::createFromFormat(self::FORM, $text);

        return $date === false ? null : $date;
    }

    /**
     * @internal
     *
     * @param list<string> $texts
     */
    public static function areOrdinary(array $texts): bool
    {
        return count((array) preg_grep(self::ORDINARY, $texts)) === count($texts);
    }

    /** @internal */
    public static function ofOrdinary(string $text): self
    {
        return new self($text);
    }

    /**
     * Formats as Date::SQL with the given number of fractional digits. Further digits are cut off, not rounded.
     *
     * @internal
     *
     * @param int<0, 6> $digits
     */
    public function sql(int $digits): string
    {
        $text = substr($this->text, 0, $digits === 0 ? 19 : 20 + $digits);
        $text[10] = ' ';

        return $text;
    }

    public function toDateTime(): DateTimeImmutable
    {
        return new DateTimeImmutable($this->text);
    }

    /** Formats as DateTimeImmutable::format() does. */
    public function format(string $format): string
    {
        return $format === self::SQL ? $this->sql(0) : $this->toDateTime()->format($format);
    }
}

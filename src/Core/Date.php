<?php

declare(strict_types=1);

namespace Headroom\Core;

use DateTimeImmutable;

use function preg_match;
use function substr;

/**
 * A date and time of an event as the text in the log, which most sinks need in no other form: an object for it costs as
 * much as half of the row's JSON.
 */
final readonly class Date
{
    private const FORM = 'Y-m-d\TH:i:s.uP';

    /** Whatever is right but not so, as a leap day or an offset with seconds, goes by DateTimeImmutable from the beginning. */
    private const ORDINARY = '/\A\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)'
        .'T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}[+-](?:0\d|1[0-4]):[0-5]\d\z/';

    private function __construct(public string $text) {}

    /** @return self|DateTimeImmutable|null null when it is no date */
    public static function parse(string $text): self|DateTimeImmutable|null
    {
        if (preg_match(self::ORDINARY, $text) === 1) {
            return new self($text);
        }

        // It throws at a NUL instead of refusing it.
        $date = str_contains($text, "\0") ? false : DateTimeImmutable::createFromFormat(self::FORM, $text);

        return $date === false ? null : $date;
    }

    public function toDateTime(): DateTimeImmutable
    {
        return new DateTimeImmutable($this->text);
    }

    /** As DateTimeImmutable::format() writes it. */
    public function format(string $format): string
    {
        if ($format !== 'Y-m-d H:i:s') {
            return $this->toDateTime()->format($format);
        }

        $text = substr($this->text, 0, 19);
        $text[10] = ' ';

        return $text;
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Laravel\Log;

use DateTimeImmutable;
use DateTimeZone;
use Monolog\LogRecord;

/**
 * A log record as the row of an event. The columns id, source, type and time are those of the collector's events.
 *
 * @internal
 */
final readonly class LogRow
{
    /** What MariaDB's TEXT holds is 65,535 bytes. */
    private const MESSAGE_BYTES = 60_000;

    /** Of the message, the context and what processors added, together. As JSON in JSON they may grow to seven times as much, and mostly do not. */
    private const BYTES = 393_216;

    /** Seven times as much is an event still. */
    private const SHORT_BYTES = 131_072;

    private DateTimeZone $utc;

    public function __construct(private string $source)
    {
        $this->utc = new DateTimeZone('UTC');
    }

    /** @return array<string, int|string|DateTimeImmutable|LogFields> */
    public function of(LogRecord $record): array
    {
        return $this->within($record, self::BYTES);
    }

    /**
     * For a record that had, as JSON, more than an event may.
     *
     * @return array<string, int|string|DateTimeImmutable|LogFields>
     */
    public function short(LogRecord $record): array
    {
        return $this->within($record, self::SHORT_BYTES);
    }

    /** @return array<string, int|string|DateTimeImmutable|LogFields> */
    private function within(LogRecord $record, int $bytes): array
    {
        $values = new LogValues($bytes);

        return [
            'id' => self::id($record->datetime),
            'source' => $this->source,
            'type' => 'log',
            'time' => $record->datetime->setTimezone($this->utc),
            'level' => $record->level->value,
            'level_name' => $record->level->getName(),
            'channel' => $values->text($record->channel),
            'message' => $values->text($record->message, self::MESSAGE_BYTES),
            'context' => new LogFields($values->members($record->context)),
            'extra' => new LogFields($values->members($record->extra)),
        ];
    }

    /**
     * A UUID of version 7 with the microseconds in the 12 bits behind the milliseconds (RFC 9562, 5.7 and 6.2, method 3): lines of one
     * process are in order by it, also in a database that keeps seconds.
     */
    private static function id(DateTimeImmutable $time): string
    {
        $micros = max(0, (int) $time->format('Uu'));
        $random = bin2hex(random_bytes(8));
        $random[0] = dechex(hexdec($random[0]) & 0x3 | 0x8);
        $time = sprintf('%012x7%03x', intdiv($micros, 1_000), intdiv($micros % 1_000 * 4_096, 1_000));

        return substr($time, 0, 8).'-'.substr($time, 8, 4).'-'.substr($time, 12).'-'.substr($random, 0, 4).'-'.substr($random, 4);
    }
}

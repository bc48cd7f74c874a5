<?php

declare(strict_types=1);

namespace Headroom\Laravel\Log;

use DateTimeImmutable;
use DateTimeZone;
use Monolog\LogRecord;

/**
 * Converts a log record to the row of an event. The columns id, source, type and time are those of collector events.
 *
 * @internal
 */
final readonly class LogRow
{
    /** MariaDB's TEXT holds 65,535 bytes. */
    private const MESSAGE_BYTES = 60_000;

    /**
     * Limit for message, context and extra together. Encoded as JSON within JSON they may grow to seven times that
     * size, but usually do not.
     */
    private const BYTES = 393_216;

    /** Seven times this size still fits into an event. */
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
     * The row of a record that was too large for an event.
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
     * A UUID of version 7 with the microseconds in the 12 bits after the milliseconds (RFC 9562, 5.7 and 6.2, method
     * 3). Its order is the order of one process's lines, also in a database that stores only seconds.
     */
    private static function id(DateTimeImmutable $time): string
    {
        $micros = max(0, (int) $time->format('Uu'));
        $random = bin2hex(random_bytes(8));
        $random[0] = dechex(hexdec($random[0]) & 0x3 | 0x8);
        $time = sprintf('%012x7%03x', intdiv($micros, 1_000), intdiv($micros % 1_000 * 4_096, 1_000));

        return substr($time, 0, 8).'-'.substr($time, 8, 4).'-'.substr($time, 12).'-'.substr($random, 0, 4).'-'
            .substr($random, 4);
    }
}

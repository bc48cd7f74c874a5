<?php

declare(strict_types=1);

namespace Headroom\Spool\History;

/**
 * The newest minute of a history file, and how long counting the backlog took last.
 *
 * @internal
 */
final readonly class HistoryProgress
{
    public const AT = 256;

    public const BYTES = 28;

    /** Counting may take at most this part of the time. */
    private const COUNTING_FACTOR = 100;

    /**
     * @param int $countedAt microseconds since the Unix epoch
     */
    public function __construct(public int $lastMinute = 0, public int $countedAt = 0, public int $countMicros = 0) {}

    public function at(int $minute): self
    {
        return new self($minute, $this->countedAt, $this->countMicros);
    }

    public function counted(int $at, int $micros): self
    {
        return new self($this->lastMinute, $at, $micros);
    }

    /** Whether the backlog may be counted now. A count in the future means that the clock was set back. */
    public function mayCount(int $now): bool
    {
        return $now < $this->countedAt || $now - $this->countedAt >= self::COUNTING_FACTOR * $this->countMicros;
    }

    /** @return string BYTES bytes */
    public function encode(): string
    {
        $record = pack('JJJ', $this->lastMinute, $this->countedAt, $this->countMicros);

        return hash('crc32c', $record, true).$record;
    }

    /** Returns null when the bytes are no whole record. */
    public static function decode(string $bytes): ?self
    {
        if (strlen($bytes) !== self::BYTES || hash('crc32c', substr($bytes, 4), true) !== substr($bytes, 0, 4)) {
            return null;
        }

        /** @var array{int, int, int} $numbers */
        $numbers = array_values((array) unpack('J3', $bytes, 4));

        return min($numbers) < 0 || $numbers[2] > intdiv(PHP_INT_MAX, self::COUNTING_FACTOR)
            ? null
            : new self(...$numbers);
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Spool\History;

use Headroom\Support\Utf8Cut;

/**
 * A failure of a bucket's flushes; docs/spool-format.md, "The history file".
 *
 * @internal
 */
final readonly class FlushFailureRecord
{
    public const BYTES = 512;

    public const MESSAGE_BYTES = 400;

    /**
     * @param int $at when it last occurred, microseconds since the Unix epoch
     * @param int $times how many flushes in a row failed with this message
     * @param int $number of the record: the next record has the next number
     */
    public function __construct(
        public int $at,
        public string $message,
        public int $times = 1,
        public int $number = 0,
    ) {}

    /** @return self the record that follows this one in the ring, or this one with one failure more */
    public function followedBy(int $at, string $message): self
    {
        return $message === $this->message
            ? new self($at, $message, $this->times + 1, $this->number)
            : new self($at, $message, 1, $this->number + 1);
    }

    /** @param string $message any bytes */
    public static function message(string $message): string
    {
        return Utf8Cut::cut(mb_scrub(Utf8Cut::cut($message, self::MESSAGE_BYTES), 'UTF-8'), self::MESSAGE_BYTES);
    }

    /** @return string BYTES bytes */
    public function encode(): string
    {
        $record = str_pad(
            pack('JJJn', $this->number, $this->at, $this->times, strlen($this->message)).$this->message,
            self::BYTES - 4,
            "\0",
        );

        return hash('crc32c', $record, true).$record;
    }

    /** Returns null when the bytes are no whole record. */
    public static function decode(string $bytes): ?self
    {
        if (strlen($bytes) !== self::BYTES || hash('crc32c', substr($bytes, 4), true) !== substr($bytes, 0, 4)) {
            return null;
        }

        /** @var array{number: int, at: int, times: int, length: int} $head */
        $head = unpack('Jnumber/Jat/Jtimes/nlength', $bytes, 4);
        $message = substr($bytes, 30, $head['length']);

        return $head['at'] > 0
                && $head['times'] > 0
                && $head['number'] >= 0
                && $head['number'] < PHP_INT_MAX
                && $head['length'] <= self::MESSAGE_BYTES
                && mb_check_encoding($message, 'UTF-8')
            ? new self($head['at'], $message, $head['times'], $head['number'])
            : null;
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

use Headroom\Core\Position;

/**
 * One append, as an entry of the stream; docs/redis.md, "The keys".
 *
 * @internal
 */
final readonly class StreamEntry
{
    /** A number of so many digits is exact in PHP and in a Redis script, in which numbers are floating-point. */
    private const MAX_DIGITS = 15;

    /**
     * @param int<0, max> $millis first half of the id
     * @param int<0, max> $sequence second half of the id
     * @param int<1, 65535> $count number of events
     * @param int $acceptedAt microseconds since the Unix epoch
     * @param int $total number of events ever added to the stream, up to and with this entry
     */
    private function __construct(
        public int $millis,
        public int $sequence,
        public int $version,
        public int $count,
        public int $acceptedAt,
        public int $total,
        public string $payload,
    ) {}

    /**
     * @param list<mixed> $fields name, value, name, value
     * @return ?self null when the buffer did not write the entry
     */
    public static function of(string $id, array $fields): ?self
    {
        $by = [];

        for ($at = 0; isset($fields[$at + 1]); $at += 2) {
            $by[is_string($fields[$at]) ? $fields[$at] : ''] = $fields[$at + 1];
        }

        [
            $version, $count, $acceptedAt, $total,
        ] = array_map(static fn (string $name): int => self::number($by[$name] ?? null), ['v', 'n', 't', 's']);
        $payload = $by['p'] ?? null;

        return is_string($payload)
                && $count >= 1
                && $count <= 65_535
                && min($version, $acceptedAt, $total) >= 1
                && $count <= $total
            && ($version > 1 || substr_count($payload, "\n") === $count - 1)
            && strlen($id) <= 2 * self::MAX_DIGITS + 1
                && max(array_map(strlen(...), explode('-', $id))) <= self::MAX_DIGITS
            ? new self(...[...StreamId::halves($id), $version, $count, $acceptedAt, $total, $payload])
            : null;
    }

    /** @return int -1 when the text is not a number */
    private static function number(mixed $text): int
    {
        return is_string($text) && ctype_digit($text) && strlen($text) <= self::MAX_DIGITS + 1 ? (int) $text : -1;
    }

    public function position(): Position
    {
        return new Position($this->millis, $this->sequence, 0);
    }
}

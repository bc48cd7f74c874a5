<?php

declare(strict_types=1);

namespace Headroom\Spool\Redis;

use Headroom\Core\Position;

/**
 * One append, as it lies in the stream: docs/redis.md, "The keys".
 *
 * @internal
 */
final readonly class StreamEntry
{
    /**
     * @param int<0, max> $millis first half of its id
     * @param int<0, max> $sequence second half
     * @param int<1, 65535> $count
     * @param int $acceptedAt microseconds since the Unix epoch
     * @param int $total events in the stream up to its end, since there is one
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
     * @return ?self null when the buffer did not make it
     */
    public static function of(string $id, array $fields): ?self
    {
        $by = [];

        for ($at = 0; isset($fields[$at + 1]); $at += 2) {
            $by[is_string($fields[$at]) ? $fields[$at] : ''] = $fields[$at + 1];
        }

        foreach (['v', 'n', 't', 's'] as $name) {
            if (! is_string($by[$name] ?? null) || ! ctype_digit($by[$name])) {
                return null;
            }
        }

        $payload = $by['p'] ?? null;
        $count = (int) $by['n'];

        return is_string($payload) && $count >= 1 && $count <= 65_535
            ? new self(...[...StreamId::halves($id), (int) $by['v'], $count, (int) $by['t'], (int) $by['s'], $payload])
            : null;
    }

    public function position(): Position
    {
        return new Position($this->millis, $this->sequence, 0);
    }
}

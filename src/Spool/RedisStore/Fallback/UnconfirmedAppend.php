<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Fallback;

/**
 * An append on disk that Redis was asked for and did not confirm. Its first event has the append's token as its id,
 * until it is known whether Redis has the events.
 *
 * @internal
 */
final readonly class UnconfirmedAppend
{
    private const BEGIN = '["redis:';

    private function __construct(public string $token, public string $payload) {}

    public static function mark(string $token, string $payload): string
    {
        $end = strpos($payload, "\n");
        $first = $end === false ? $payload : substr($payload, 0, $end);

        return self::BEGIN.bin2hex($token)."\",{$first}]".($end === false ? '' : substr($payload, $end));
    }

    /** The token is empty when the payload has none. */
    public static function read(string $payload): self
    {
        $end = strpos($payload, "\n");
        $first = rtrim($end === false ? $payload : substr($payload, 0, $end), ' ');

        if (
            preg_match('/\A\["redis:([0-9a-f]{24})",/', substr($first, 0, 64), $m) !== 1
            || ! str_ends_with($first, ']')
        ) {
            return new self('', $payload);
        }

        return new self(
            (string) hex2bin($m[1]),
            substr($first, strlen($m[0]), -1).($end === false ? '' : substr($payload, $end)),
        );
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Sockets;

/**
 * An address as /proc/net/tcp and its kin write it: words of four bytes, in the order of the machine.
 *
 * @internal
 */
final readonly class HexAddress
{
    private const WORD = 8;

    private const MAPPED = '::ffff:';

    /**
     * As people write it; one of IPv4 in the tables of IPv6 is one of IPv4. Other text is shown unchanged.
     */
    public static function text(string $hex): string
    {
        $text = inet_ntop(implode(
            '',
            array_map(static fn (string $word): string => pack('L', hexdec($word)), str_split($hex, self::WORD)),
        ));

        return match (true) {
            $text === false => $hex,
            str_starts_with($text, self::MAPPED) && str_contains($text, '.') => substr($text, strlen(self::MAPPED)),
            default => $text,
        };
    }
}

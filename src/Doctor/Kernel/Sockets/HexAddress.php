<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Sockets;

/**
 * An address in the format of /proc/net/tcp: words of four bytes, in the byte order of the machine.
 *
 * @internal
 */
final readonly class HexAddress
{
    private const WORD = 8;

    private const MAPPED = '::ffff:';

    /**
     * The address in its usual format. An IPv4-mapped IPv6 address is shown as IPv4, and other text unchanged.
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

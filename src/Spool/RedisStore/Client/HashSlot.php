<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

/**
 * Computes the hash slot of a key by the Redis Cluster specification: CRC16 (XMODEM) of the key or of its hash tag,
 * modulo 16384.
 *
 * @internal
 */
final readonly class HashSlot
{
    public static function of(string $key): int
    {
        $tag = preg_match('/^[^{]*\{([^}]+)\}/s', $key, $m) === 1 ? $m[1] : $key;
        $crc = 0;

        for ($i = 0, $length = strlen($tag); $i < $length; $i++) {
            $crc ^= ord($tag[$i]) << 8;

            for ($bit = 0; $bit < 8; $bit++) {
                $crc = (($crc & 0x8000) === 0 ? $crc << 1 : ($crc << 1) ^ 0x1021) & 0xFFFF;
            }
        }

        return $crc & 16_383;
    }
}

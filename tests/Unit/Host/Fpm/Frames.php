<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Host\Fpm;

/**
 * FastCGI records as a server sends them, and a request read as a server reads it.
 */
final readonly class Frames
{
    public const OUT = 6;

    public const ERR = 7;

    public static function record(int $type, string $content, int $padding = 0, int $version = 1, int $id = 1): string
    {
        return pack('CCnnCC', $version, $type, $id, strlen($content), $padding, 0xEE).$content
            .str_repeat("\xFF", $padding);
    }

    /** FPM leaves rubbish in the three reserved bytes. */
    public static function end(int $status = 0): string
    {
        return self::record(3, pack('NC', 0, $status).'":1');
    }

    /**
     * @return array{types: list<int>, params: array<string, string>, stdin: string, flags: int}
     */
    public static function request(string $bytes): array
    {
        $streams = [1 => '', 4 => '', 5 => ''];
        $types = [];

        while ($bytes !== '') {
            $length = ord($bytes[4]) << 8 | ord($bytes[5]);
            $types[] = ord($bytes[1]);
            $streams[ord($bytes[1])] = ($streams[ord($bytes[1])] ?? '').substr($bytes, 8, $length);
            $bytes = substr($bytes, 8 + $length + ord($bytes[6]));
        }

        return [
            'types' => $types,
            'params' => self::pairs($streams[4]),
            'stdin' => $streams[5],
            'flags' => ord($streams[1][2]),
        ];
    }

    /** @return array<string, string> */
    private static function pairs(string $bytes): array
    {
        $pairs = [];

        while ($bytes !== '') {
            [$name, $bytes] = self::length($bytes);
            [$value, $bytes] = self::length($bytes);
            $pairs[substr($bytes, 0, $name)] = substr($bytes, $name, $value);
            $bytes = substr($bytes, $name + $value);
        }

        return $pairs;
    }

    /** @return array{int, string} */
    private static function length(string $bytes): array
    {
        $first = ord($bytes[0]);

        return $first < 128
            ? [$first, substr($bytes, 1)]
            : [($first & 127) << 24 | ord($bytes[1]) << 16 | ord($bytes[2]) << 8 | ord($bytes[3]), substr($bytes, 4)];
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Host\Fpm;

/**
 * The records of one FastCGI request: the FastCGI specification 1.0, sections 3.3, 3.4 and 5.
 *
 * @internal
 */
final readonly class FastCgiRecords
{
    public const HEADER_BYTES = 8;

    public const END_REQUEST = 3;

    public const STDOUT = 6;

    public const STDERR = 7;

    /** The one request of a connection. */
    public const ID = 1;

    private const VERSION = 1;

    private const BEGIN_REQUEST = 1;

    private const PARAMS = 4;

    private const STDIN = 5;

    private const RESPONDER = 1;

    private const CONTENT_BYTES = 65_535;

    // The length of a name or value takes one byte up to 127, otherwise four bytes with the highest bit set.
    private const SHORT = 127;

    private const LONG_FLAG = 0x8000_0000;

    /** @param array<string, string> $params */
    public static function request(array $params, string $stdin): string
    {
        $pairs = '';

        foreach ($params as $name => $value) {
            $pairs .= self::length($name).self::length($value).$name.$value;
        }

        // With flags 0 the pool closes the connection after its answer, which frees the worker.
        return self::record(self::BEGIN_REQUEST, pack('nCx5', self::RESPONDER, 0))
            .self::stream(self::PARAMS, $pairs)
            .self::stream(self::STDIN, $stdin);
    }

    /**
     * @param int $at offset of the header in the bytes
     * @return ?array{version: int, type: int, id: int, content: int, padding: int} null if
     *     fewer bytes than a header are left
     */
    public static function header(string $bytes, int $at): ?array
    {
        if (strlen($bytes) < $at + self::HEADER_BYTES) {
            return null;
        }

        return [
            'version' => ord($bytes[$at]),
            'type' => ord($bytes[$at + 1]),
            'id' => ord($bytes[$at + 2]) << 8 | ord($bytes[$at + 3]),
            'content' => ord($bytes[$at + 4]) << 8 | ord($bytes[$at + 5]),
            'padding' => ord($bytes[$at + 6]),
        ];
    }

    /** Describes the fault of a header that a FastCGI server would not send; null if the header is valid. */
    public static function fault(int $version, int $type, int $id): ?string
    {
        return match (true) {
            $version !== self::VERSION => "a record begins with version {$version} instead of ".self::VERSION,
            ! in_array(
                $type,
                [self::END_REQUEST, self::STDOUT, self::STDERR],
                true,
            ) => "it sent a record of type {$type}, which a server never sends",
            $id !== self::ID => "a record belongs to request {$id}, but only request ".self::ID.' was sent',
            default => null,
        };
    }

    private static function length(string $text): string
    {
        $length = strlen($text);

        return $length <= self::SHORT ? chr($length) : pack('N', $length | self::LONG_FLAG);
    }

    /** An empty record ends the stream. */
    private static function stream(int $type, string $content): string
    {
        $records = '';

        foreach ($content === '' ? [] : str_split($content, self::CONTENT_BYTES) as $part) {
            $records .= self::record($type, $part);
        }

        return $records.self::record($type, '');
    }

    private static function record(int $type, string $content): string
    {
        return pack('CCnnCx', self::VERSION, $type, self::ID, strlen($content), 0).$content;
    }
}

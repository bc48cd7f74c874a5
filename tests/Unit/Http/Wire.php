<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Http;

use Headroom\Http\HttpError;
use Headroom\Http\MessageLimits;
use Headroom\Http\RequestParser;
use PHPUnit\Framework\Assert;

/**
 * A connection's bytes through the parser, cut in any way, and the result.
 * Seen is method, path, query, headers and body.
 *
 * @phpstan-type Seen array{string, string, string, array<string, string>, string}
 */
final readonly class Wire
{
    /** So tight that each limit is reached within a few lines. */
    public static function limits(): MessageLimits
    {
        return new MessageLimits(startLineBytes: 100, headerBytes: 400, headers: 8, bodyBytes: 64);
    }

    /**
     * @param list<string> $pieces
     * @return list<Seen|string> requests, and the status and code of a refusal
     */
    public static function read(array $pieces, ?MessageLimits $limits = null): array
    {
        $limits ??= self::limits();
        $parser = new RequestParser($limits);
        $most = $limits->startLineBytes + $limits->headerBytes + $limits->bodyBytes + 4;
        $got = [];

        foreach ($pieces as $piece) {
            $parser->feed($piece);

            while (($next = $parser->next()) !== null) {
                $got[] = $next instanceof HttpError
                    ? "{$next->status} {$next->code}"
                    : [$next->line->method, $next->line->path, $next->line->query, $next->headers, $next->body];

                if ($next instanceof HttpError) {
                    Assert::assertNull($parser->next(), 'Something came after a refusal.');
                    Assert::assertFalse($parser->keepsAlive());
                    Assert::assertNotSame('', $next->detail);
                }
            }

            // One that rests between two of its pieces keeps what the limits allow and no more.
            Assert::assertLessThanOrEqual($most + strlen($piece), $parser->pending());
        }

        return $got;
    }

    /**
     * Ways to cut the bytes that must give the same result: byte by byte, by three, and in two parts at each place.
     *
     * @return iterable<string, list<string>>
     */
    public static function cuts(string $bytes): iterable
    {
        yield 'byte by byte' => str_split($bytes);
        yield 'by three' => str_split($bytes, 3);

        for ($at = 1; $at < strlen($bytes); $at++) {
            yield "cut at {$at}" => [substr($bytes, 0, $at), substr($bytes, $at)];
        }
    }

    /**
     * For the independent reader, which tells the same.
     *
     * @param list<Seen|string> $got
     * @return list<mixed>
     */
    public static function plain(array $got): array
    {
        return array_map(static fn (array|string $one): mixed => is_string($one) ? (int) $one : [
            'method' => $one[0],
            'path' => base64_encode($one[1]),
            'query' => base64_encode($one[2]),
            'headers' => array_map(base64_encode(...), self::sorted($one[3])),
            'body' => base64_encode($one[4]),
        ], $got);
    }

    /**
     * @param array<string, string> $headers
     * @return array<string, string>
     */
    private static function sorted(array $headers): array
    {
        ksort($headers, SORT_STRING);

        return $headers;
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use RuntimeException;

/**
 * An answer of HTTP with any status. PHP 8.5 deprecates the variable $http_response_header, which file_get_contents()
 * fills.
 */
final readonly class Fetched
{
    private function __construct(public int $status, public string $body) {}

    /** @param array<string, mixed> $http options of PHP's HTTP wrapper */
    public static function from(string $url, array $http = []): self
    {
        $context = stream_context_create(['http' => $http + ['ignore_errors' => true, 'timeout' => 30]]);
        $stream = fopen($url, 'r', context: $context);

        if ($stream === false) {
            throw new RuntimeException("{$url} gave no answer.");
        }

        $lines = (array) (stream_get_meta_data($stream)['wrapper_data'] ?? []);
        $line = is_string($lines[0] ?? null) ? $lines[0] : '';

        $status = preg_match('~\AHTTP/\S+ (\d{3})~', $line, $m) === 1 ? (int) $m[1] : 0;

        return new self($status, (string) stream_get_contents($stream));
    }
}

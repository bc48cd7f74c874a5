<?php

declare(strict_types=1);

namespace Headroom\Collector;

use Headroom\Http\HttpError;
use Headroom\Http\ReasonPhrase;

use function ctype_digit;
use function in_array;
use function json_encode;
use function strlen;
use function strtolower;

/**
 * An error response: application/problem+json (RFC 9457). Its type is about:blank, so its title is the reason phrase of
 * the status. Programs read `code`, people read `detail`.
 *
 * @internal
 */
final readonly class Problem
{
    /** The retryable statuses of OTLP/HTTP, and 408. */
    private const RETRYABLE = [408, 429, 502, 503, 504];

    /** Replaces values that JSON cannot hold, because the error must reach the client. */
    private const FLAGS = JSON_UNESCAPED_SLASHES
        | JSON_UNESCAPED_UNICODE
        | JSON_INVALID_UTF8_SUBSTITUTE
        | JSON_PARTIAL_OUTPUT_ON_ERROR;

    public static function ofError(HttpError $error): Response
    {
        return self::response($error->status, $error->code, $error->detail);
    }

    /** For a request on which the code of the collector failed. */
    public static function requestFailed(): Response
    {
        return self::response(
            500,
            'internal_error',
            'The collector failed on this request; its log has the error. Other requests are not affected.',
        );
    }

    /**
     * @param int<400, 599> $status
     * @param string $code stable, because programs compare it
     * @param string $detail the value seen, the limit, and the next step
     * @param array<string, string> $headers the body repeats Retry-After as `retry_after`
     * @param array<string, mixed> $members more members of the body
     */
    public static function response(
        int $status,
        string $code,
        string $detail,
        array $headers = [],
        array $members = [],
    ): Response {
        $body = [
            'type' => 'about:blank',
            'title' => ReasonPhrase::of($status),
            'status' => $status,
            'detail' => $detail,
            'code' => $code,
            'retryable' => in_array($status, self::RETRYABLE, true),
        ];

        foreach ($headers as $name => $value) {
            if (strtolower($name) === 'retry-after') {
                // Seconds, or a date.
                $body['retry_after'] = ctype_digit($value) && strlen($value) < 19 ? (int) $value : $value;
            }
        }

        return new Response(
            $status,
            json_encode($body + $members, self::FLAGS)."\n",
            ['Content-Type' => 'application/problem+json'] + $headers,
        );
    }
}

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
 * An error as clients get it: application/problem+json (RFC 9457). Its type is about:blank, whose title is the status's
 * own; what went wrong is in `code`, for programs, and in `detail`, for people.
 *
 * @internal
 */
final readonly class Problem
{
    /** As OTLP/HTTP has them, and 408: whatever else fails, fails again. */
    private const RETRYABLE = [408, 429, 502, 503, 504];

    /** What can not be written is null or replaced: an error has to reach its client. */
    private const FLAGS = JSON_UNESCAPED_SLASHES
        | JSON_UNESCAPED_UNICODE
        | JSON_INVALID_UTF8_SUBSTITUTE
        | JSON_PARTIAL_OUTPUT_ON_ERROR;

    public static function ofError(HttpError $error): Response
    {
        return self::response($error->status, $error->code, $error->detail);
    }

    /**
     * @param int<400, 599> $status
     * @param string $code stable: clients go by it
     * @param string $detail what was seen, the limit, and what to do
     * @param array<string, string> $headers Retry-After is told in the body as well, as `retry_after`
     * @param array<string, mixed> $members more members for the body; the standard ones stay as they are
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

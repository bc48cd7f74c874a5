<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use Headroom\Collector\Ingest\Protobuf\WireWriter;
use Headroom\Collector\Request;
use Headroom\Collector\Response;

use function json_encode;
use function preg_match;

/**
 * The response to an OTLP exporter, in the encoding of its request:
 * https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
 *
 * @internal
 */
final readonly class OtlpResponse
{
    private const FLAGS = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE
        | JSON_THROW_ON_ERROR;

    /** gRPC codes by HTTP status. */
    private const GRPC = [
        400 => 3, 401 => 16, 403 => 7, 404 => 5, 405 => 12, 413 => 3, 415 => 3, 422 => 3, 429 => 8, 503 => 14,
    ];

    private const UNKNOWN = 2;

    public static function accepted(Request $request, Batch $batch, string $ignored): Response
    {
        $rejected = $batch->rejected();
        $warning = $ignored === '' ? '' : "Not read: {$ignored}.";
        $error = $batch->errors()[0] ?? null;
        $message = $error === null
            ? $warning
            : "Log record {$error['index']}, {$error['pointer']}: {$error['message']}";
        $message = str_replace(', :', ':', $message);

        if (self::isProtobuf($request)) {
            $partial = WireWriter::varint(1, $rejected).WireWriter::bytes(2, $message);

            return self::response(200, WireWriter::bytes(1, $partial), true);
        }

        // The JSON mapping of Protocol Buffers writes a 64-bit integer as a string.
        $partial = ['partialSuccess' => ['rejectedLogRecords' => (string) $rejected, 'errorMessage' => $message]];

        $body = $rejected === 0 && $message === '' ? '{}' : json_encode($partial, self::FLAGS);

        return self::response(200, $body, false);
    }

    /**
     * @param int<400, 599> $status
     * @param array<string, string> $headers
     */
    public static function error(Request $request, int $status, string $message, array $headers): Response
    {
        $code = self::GRPC[$status] ?? self::UNKNOWN;
        $isProtobuf = self::isProtobuf($request);
        $body = $isProtobuf
            ? WireWriter::varint(1, $code).WireWriter::bytes(2, $message)
            : json_encode(['code' => $code, 'message' => $message], self::FLAGS)."\n";

        return self::response($status, $body, $isProtobuf, $headers);
    }

    /**
     * @param int<200, 599> $status
     * @param array<string, string> $headers
     */
    private static function response(int $status, string $body, bool $isProtobuf, array $headers = []): Response
    {
        $type = $isProtobuf ? 'application/x-protobuf' : 'application/json';

        return new Response($status, $body, ['Content-Type' => $type] + $headers);
    }

    private static function isProtobuf(Request $request): bool
    {
        $type = $request->headers['content-type'] ?? '';

        return preg_match('~\A\s*application/(?:x-)?protobuf\s*(?:;|\z)~i', $type) === 1;
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use Closure;
use Headroom\Collector\Ingest\Format\ForwardedRows;
use Headroom\Collector\Ingest\Format\TrackingPixel;
use Headroom\Collector\Problem;
use Headroom\Collector\Request;
use Headroom\Collector\Response;
use Headroom\Spool\AppendFailure;
use Headroom\Spool\UnableToAppend;

use function array_fill;
use function json_encode;
use function str_contains;
use function str_starts_with;

/**
 * Responses to requests with events, in the protocol of the client.
 *
 * @internal
 */
final readonly class ResponseFactory
{
    private const JSON = ['Content-Type' => 'application/json'];

    private const FLAGS = JSON_UNESCAPED_SLASHES
        | JSON_UNESCAPED_UNICODE
        | JSON_INVALID_UTF8_SUBSTITUTE
        | JSON_THROW_ON_ERROR;

    private const RETRY_SECONDS = 5;

    private const JITTER_SECONDS = 10;

    /** @param Closure(int, int): int $randomInt between two numbers, both included */
    public function __construct(private Closure $randomInt) {}

    /** Also for traces and metrics, which the collector rejects: their exporters read OTLP responses. */
    public static function isOtlp(Request $request): bool
    {
        return match ($request->path) {
            '/v1/logs', '/v1/traces', '/v1/metrics' => true,
            default => false,
        };
    }

    /**
     * Headroom's HTTP sink reads 207 item by item. It takes another success as an acknowledgement of all rows, and an
     * error as a rejection of all.
     */
    public static function isFromSink(Request $request): bool
    {
        return isset($request->headers[ForwardedRows::HEADER]) && ForwardedRows::isIn($request);
    }

    /** @param string $ignored names of parts of the request that are not stored */
    public function accepted(Request $request, Batch $batch, string $ignored): Response
    {
        if (self::isOtlp($request)) {
            return OtlpResponse::accepted($request, $batch, $ignored);
        }

        if (Router::isPixel($request) && $batch->accepted() > 0) {
            return new Response(200, TrackingPixel::GIF, [
                'Content-Type' => 'image/gif',
                'Cache-Control' => 'no-store',
            ]);
        }

        if ($batch->rejected() > 0 && self::isFromSink($request)) {
            return self::perItem($batch);
        }

        if ($batch->rejected() === 0 && self::isBeacon($request)) {
            return new Response(204);
        }

        $ids = str_contains($request->headers['prefer'] ?? '', 'return=minimal') ? null : $batch->ids();
        $body = ['accepted' => $batch->accepted(), 'rejected' => $batch->rejected(), 'errors' => $batch->errors()]
            + ($ids === null ? [] : ['ids' => $ids]);

        return new Response(202, json_encode($body, self::FLAGS)."\n", self::JSON);
    }

    public function rejected(RequestError $error, Request $request): Response
    {
        $status = $error->status ?? $error->reason->status();

        return self::isOtlp($request)
            ? OtlpResponse::error($request, $status, $error->getMessage(), $error->headers)
            : Problem::response($status, $error->reason->value, $error->getMessage(), $error->headers, $error->members);
    }

    /** The message of the exception has local paths, which must not reach clients. */
    public function notStored(UnableToAppend $failure, Request $request): Response
    {
        $reason = match ($failure->failure) {
            AppendFailure::DiskFull, AppendFailure::DiskQuota, AppendFailure::Reserve => 'the disk has too little room',
            AppendFailure::Quota => 'too many events wait for delivery',
            AppendFailure::NoFreeSlot => 'the buffer is busy',
            default => 'the buffer is not writable',
        };
        $seconds = (string) $this->retryAfter();
        $detail = "The events are not stored, because {$reason}. Send them again in {$seconds} s.";

        return self::isOtlp($request)
            ? OtlpResponse::error($request, 503, $detail, ['Retry-After' => $seconds])
            : Problem::response(503, ErrorCode::NotStored->value, $detail, ['Retry-After' => $seconds]);
    }

    /** Jitter spreads the retries of many clients. */
    private function retryAfter(): int
    {
        return self::RETRY_SECONDS + ($this->randomInt)(0, self::JITTER_SECONDS);
    }

    /** The browser discards the response to a beacon. */
    private static function isBeacon(Request $request): bool
    {
        return str_starts_with($request->headers['content-type'] ?? '', 'text/plain')
            || ($request->query !== '' && preg_match('/(?:\A|&)beacon=1(?:&|\z)/', $request->query) === 1);
    }

    private static function perItem(Batch $batch): Response
    {
        $items = array_fill(0, $batch->size(), ['status' => 202]);

        foreach ($batch->reasons() as $number => $reason) {
            $items[$number] = ['status' => $reason->status(), 'error' => $reason->value];
        }

        return new Response(
            207,
            json_encode(
                ['accepted' => $batch->accepted(), 'rejected' => $batch->rejected(), 'items' => $items],
                self::FLAGS,
            )
                ."\n",
            self::JSON,
        );
    }
}

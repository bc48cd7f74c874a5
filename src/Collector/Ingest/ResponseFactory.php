<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use Closure;
use Headroom\Collector\Ingest\Format\ForwardedRows;
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
 * What a client is told, in the words of the protocol that it speaks.
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

    /** @param Closure(int, int): int $random a number between two, both included */
    public function __construct(private Closure $random) {}

    /** Exporters of what is not taken read answers of their own protocol as well. */
    public static function isOtlp(?Request $request): bool
    {
        return match ($request?->path) {
            '/v1/logs', '/v1/traces', '/v1/metrics' => true,
            default => false,
        };
    }

    /**
     * Headroom's HTTP sink takes any other success for the arrival of all its events,
     * and a refusal for one of them all.
     */
    public static function isForSink(Request $request): bool
    {
        return isset($request->headers[ForwardedRows::HEADER]) && ForwardedRows::areIn($request);
    }

    public function accepted(Request $request, Batch $batch): Response
    {
        if (self::isOtlp($request)) {
            return OtlpResponse::taken($request, $batch);
        }

        if ($batch->rejected() > 0 && self::isForSink($request)) {
            return self::items($batch);
        }

        if ($batch->rejected() === 0 && self::isBeacon($request)) {
            return new Response(204);
        }

        $ids = str_contains($request->headers['prefer'] ?? '', 'return=minimal') ? null : $batch->ids();
        $body = ['accepted' => $batch->accepted(), 'rejected' => $batch->rejected(), 'errors' => $batch->errors()]
            + ($ids === null ? [] : ['ids' => $ids]);

        return new Response(202, json_encode($body, self::FLAGS)."\n", self::JSON);
    }

    public function refused(RequestError $refusal, ?Request $request): Response
    {
        $status = $refusal->status ?? $refusal->reason->status();

        if (! self::isOtlp($request)) {
            return Problem::response(
                $status,
                $refusal->reason->value,
                $refusal->getMessage(),
                $refusal->headers,
                $refusal->members,
            );
        }

        return OtlpResponse::status($request, $status, $refusal->getMessage(), $refusal->headers);
    }

    /** Its own words name directories of this machine, which are nobody's business. */
    public function notAppended(UnableToAppend $e, ?Request $request): Response
    {
        $why = match ($e->failure) {
            AppendFailure::DiskFull, AppendFailure::DiskQuota, AppendFailure::Reserve => 'the disk has too little room',
            AppendFailure::Quota => 'too much is waiting to be delivered',
            AppendFailure::NoFreeSlot => 'the buffer is busy',
            default => 'the buffer can not be written',
        };
        $seconds = (string) $this->retryAfter();
        $detail = "The events are not stored, because {$why}. Send them again in {$seconds} s.";

        return self::isOtlp($request)
            ? OtlpResponse::status($request, 503, $detail, ['Retry-After' => $seconds])
            : Problem::response(503, ErrorCode::NotStored->value, $detail, ['Retry-After' => $seconds]);
    }

    /** So that not all come again at once. */
    private function retryAfter(): int
    {
        return self::RETRY_SECONDS + ($this->random)(0, self::JITTER_SECONDS);
    }

    /** Nobody reads what a beacon is answered. */
    private static function isBeacon(Request $request): bool
    {
        return str_starts_with($request->headers['content-type'] ?? '', 'text/plain')
            || ($request->query !== '' && preg_match('/(?:\A|&)beacon=1(?:&|\z)/', $request->query) === 1);
    }

    private static function items(Batch $batch): Response
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

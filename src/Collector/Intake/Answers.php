<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake;

use Closure;
use Headroom\Collector\Intake\Format\Rows;
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
final readonly class Answers
{
    private const JSON = ['Content-Type' => 'application/json'];

    private const FLAGS = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR;

    /** OTLP's errors are those of gRPC. */
    private const GRPC = [400 => 3, 401 => 16, 403 => 7, 404 => 5, 405 => 12, 413 => 3, 415 => 3, 422 => 3, 429 => 8, 503 => 14];

    private const RETRY_SECONDS = 5;

    private const JITTER_SECONDS = 10;

    /** @param Closure(int, int): int $random a number between two, both included */
    public function __construct(private Closure $random) {}

    public static function isOtlp(?Request $request): bool
    {
        return $request?->path === '/v1/logs';
    }

    /** Headroom's HTTP sink takes any other success for the arrival of all its events, and a refusal for one of them all. */
    public static function isForSink(Request $request): bool
    {
        return isset($request->headers[Rows::HEADER]) && Rows::areIn($request);
    }

    public function accepted(Request $request, Batch $batch): Response
    {
        if (self::isOtlp($request)) {
            return self::partial($batch);
        }

        if ($batch->rejected() > 0 && self::isForSink($request)) {
            return self::items($batch);
        }

        if ($batch->rejected() === 0 && self::isBeacon($request)) {
            return new Response(204);
        }

        $ids = str_contains($request->headers['prefer'] ?? '', 'return=minimal') ? null : $batch->ids();
        $body = ['accepted' => $batch->accepted(), 'rejected' => $batch->rejected(), 'errors' => $batch->errors()] + ($ids === null ? [] : ['ids' => $ids]);

        return new Response(202, json_encode($body, self::FLAGS)."\n", self::JSON);
    }

    public function refused(Refused $refusal, ?Request $request): Response
    {
        $status = $refusal->status ?? $refusal->reason->status();

        if (! self::isOtlp($request)) {
            return Problem::response($status, $refusal->reason->value, $refusal->getMessage(), $refusal->headers, $refusal->members);
        }

        return new Response($status, json_encode(['code' => self::GRPC[$status] ?? 2, 'message' => $refusal->getMessage()], self::FLAGS)."\n", self::JSON + $refusal->headers);
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
            ? new Response(503, json_encode(['code' => self::GRPC[503], 'message' => $detail], self::FLAGS)."\n", self::JSON + ['Retry-After' => $seconds])
            : Problem::response(503, Code::NotStored->value, $detail, ['Retry-After' => $seconds]);
    }

    /** So that not all come again at once. */
    private function retryAfter(): int
    {
        return self::RETRY_SECONDS + ($this->random)(0, self::JITTER_SECONDS);
    }

    /** Nobody reads what a beacon is answered. */
    private static function isBeacon(Request $request): bool
    {
        return str_starts_with($request->headers['content-type'] ?? '', 'text/plain') || ($request->query !== '' && preg_match('/(?:\A|&)beacon=1(?:&|\z)/', $request->query) === 1);
    }

    private static function items(Batch $batch): Response
    {
        $items = array_fill(0, $batch->size(), ['status' => 202]);

        foreach ($batch->reasons() as $number => $reason) {
            $items[$number] = ['status' => $reason->status(), 'error' => $reason->value];
        }

        return new Response(207, json_encode(['accepted' => $batch->accepted(), 'rejected' => $batch->rejected(), 'items' => $items], self::FLAGS)."\n", self::JSON);
    }

    private static function partial(Batch $batch): Response
    {
        $rejected = $batch->rejected();
        $message = $batch->errors()[0]['message'] ?? '';

        // The count is a 64-bit integer, which JSON of Protocol Buffers writes as a text.
        $body = $rejected === 0 ? '{}' : json_encode(['partialSuccess' => ['rejectedLogRecords' => (string) $rejected, 'errorMessage' => $message]], self::FLAGS);

        return new Response(200, $body, self::JSON);
    }
}

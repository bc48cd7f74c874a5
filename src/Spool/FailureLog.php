<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\Printable;
use Headroom\Spool\Flush\FlushReport;
use Throwable;

/**
 * A bucket's failures and losses in the application's log, once per incident: a worker that tries each second must not
 * fill a disk.
 *
 * @internal
 */
final class FailureLog
{
    /** @var array<string, class-string<Throwable>> by bucket */
    private array $failing = [];

    /** @var array<string, true> by bucket and place */
    private array $lost = [];

    public function __construct(private readonly Runtime $spool) {}

    public function note(FlushReport $report): void
    {
        $this->noteFailure($report->bucket, $report->failure);

        foreach ($report->losses as $place => $loss) {
            $key = "{$report->bucket} at {$place}";

            if ($loss->alarming && ! $loss->isKnown && ! isset($this->lost[$key])) {
                $this->lost[$key] = true;
                $this->write('error', "spool: bucket {$key}: {$loss->message}.");
            }
        }
    }

    private function noteFailure(string $bucket, ?Throwable $failure): void
    {
        $before = $this->failing[$bucket] ?? null;

        if ($failure === null) {
            unset($this->failing[$bucket]);
        } else {
            $this->failing[$bucket] = $failure::class;
        }

        if ($failure !== null && $before !== $failure::class) {
            $this->write('error', "spool: bucket '{$bucket}' is not delivered: {$failure->getMessage()}");
        } elseif ($failure === null && $before !== null) {
            $this->write('info', "spool: bucket '{$bucket}' is delivered again.");
        }
    }

    /** A log that can not be written, on a full disk say, must not keep the other buckets from their flush. */
    private function write(string $level, string $message): void
    {
        $message = Printable::line($message);

        try {
            $this->spool->logger()->log($level, $message);
        } catch (Throwable $e) {
            error_log(Printable::line("{$message} (The application's log could not take this: {$e->getMessage()})"));
        }
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Console\Spool\Output;

use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Store\MissingRange;

/**
 * A flush report as --json prints it.
 *
 * @internal
 */
final readonly class FlushReportDocument
{
    public function __construct(private FlushReport $report) {}

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'bucket' => $this->report->bucket,
            'outcome' => $this->outcome(),
            'delivered' => $this->report->delivered,
            'batches' => $this->report->batches,
            'replaced' => $this->report->replaced,
            'more' => $this->report->hasMore,
            'losses' => array_values(array_map(
                static fn (MissingRange $loss): array => [
                    'place' => $loss->position->toString(),
                    'message' => $loss->message,
                    'alarming' => $loss->isAlarming,
                ],
                $this->report->losses,
            )),
            'failure' => $this->report->reason(),
            'dead' => $this->report->dead,
            'waits_until' => $this->report->waiting === null
                ? null
                : gmdate(DATE_ATOM, intdiv($this->report->waiting->nextTry, 1_000_000) + 1),
            'goes_on_at' => $this->report->nextTokenAt === null
                ? null
                : gmdate(DATE_ATOM, intdiv($this->report->nextTokenAt, 1_000_000) + 1),
        ];
    }

    /** @return array<string, mixed> of a bucket without any event */
    public static function untouched(string $bucket): array
    {
        return [
            'bucket' => $bucket,
            'outcome' => 'untouched',
            'delivered' => 0,
            'batches' => 0,
            'replaced' => 0,
            'more' => false,
            'losses' => [],
            'failure' => null,
            'dead' => 0,
            'waits_until' => null,
            'goes_on_at' => null,
        ];
    }

    private function outcome(): string
    {
        return match (true) {
            $this->report->failure !== null => 'failed',
            $this->report->busy => 'busy',
            $this->report->waiting !== null => 'waiting',
            $this->report->paused => 'paused',
            default => 'flushed',
        };
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Closure;
use Headroom\Core\Clock;
use Headroom\Spool\Exceptions\LedgerMismatch;
use Headroom\Spool\RateLimit;
use Headroom\Spool\Status\FlushStatus;
use Headroom\Spool\Status\Throughput;
use Headroom\Spool\Store\State\StateRecord;
use Headroom\Spool\Store\State\ThroughputSample;

/**
 * The history of a bucket's flushes, from the state that they saved.
 *
 * @internal
 */
final readonly class FlushHistory
{
    /**
     * @param int $now microseconds since the Unix epoch
     * @param int $accepted all events ever appended to the log, without retried dead letters
     */
    public function __construct(
        public StateRecord $record,
        private int $now,
        private int $accepted,
        private int $delivered,
    ) {}

    /**
     * @param bool $isByCallback the caller of flush() decides when the next flush is
     * @param bool $isShared the rate limit holds for all machines together
     */
    public function status(bool $isByCallback, ?RateLimit $rate, Clock $clock, bool $isShared = false): FlushStatus
    {
        $flushedAt = $this->record->flushedAt;

        return new FlushStatus(
            $this->lastFailure($isByCallback),
            $this->record->flush->failed,
            $flushedAt === 0 ? null : max(0.0, ($this->now - $flushedAt) / 1_000_000),
            $rate === null ? null : $this->secondsToNextToken($rate, $clock, $isShared),
            failingSeconds: $this->record->flush->retry === null
                ? null
                : max(0.0, ($this->now - $this->record->flush->retry->since) / 1_000_000),
            isStopped: $this->record->flush->retry?->isDown() === true,
            isForked: LedgerMismatch::isFork(
                $this->record->flush->retry->reason ?? $this->record->flush->partialFailure ?? '',
            ),
        );
    }

    /** Returns the throughput since the older sample, which is one to two minutes old while the bucket is delivered. */
    public function throughput(): Throughput
    {
        return new Throughput(
            $this->perSecond(
                $this->accepted + $this->record->retriedLetters,
                static fn (ThroughputSample $mark): int => $mark->accepted,
            ),
            $this->perSecond($this->delivered, static fn (ThroughputSample $mark): int => $mark->delivered),
        );
    }

    /**
     * Returns why the last flush failed, in words.
     *
     * @param bool $isByCallback the caller of flush() decides when the next flush is
     */
    public function lastFailure(bool $isByCallback = false): ?string
    {
        $retry = $this->record->flush->retry;

        if ($retry === null) {
            return $this->record->flush->partialFailure === null
                ? null
                : "the last flush failed: {$this->record->flush->partialFailure}";
        }

        $wait = intdiv($retry->nextTry - $this->now, 1_000_000) + 1;

        return ($retry->isDown() ? 'nothing is delivered any more: ' : '')."{$retry->attempts} "
            .($retry->attempts === 1 ? 'flush failed at ' : 'flushes in a row failed since ')
            .gmdate('Y-m-d H:i:s', intdiv($retry->since, 1_000_000)).' UTC, the next try is '
            .($isByCallback ? 'the next call of flush()' : ($wait > 0 ? "in {$wait} s" : 'due'))
            .". The last failure: {$retry->reason}";
    }

    /** Returns the seconds until a token is free; null when one is free now. */
    private function secondsToNextToken(RateLimit $rate, Clock $clock, bool $isShared): ?float
    {
        $now = $isShared ? $this->now : intdiv($clock->monotonicNanos(), 1000);
        $tokens = $this->record->flush->tokens;
        $wait = ($isShared ? $tokens?->shared($rate, $now) : $tokens)?->wait($rate, $now) ?? 0;

        return $wait === 0 ? null : $wait / 1_000_000;
    }

    /** @param Closure(ThroughputSample): int $then */
    private function perSecond(int $now, Closure $then): ?float
    {
        $mark = $this->record->marks[0] ?? null;
        $seconds = $mark === null ? 0 : ($this->now - $mark->at) / 1_000_000;

        return $mark === null || $seconds < 1 ? null : max(0, $now - $then($mark)) / $seconds;
    }
}

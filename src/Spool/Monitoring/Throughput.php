<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Closure;
use Headroom\Core\Clock;
use Headroom\Spool\RateLimit;
use Headroom\Spool\Store\StateRecord;
use Headroom\Spool\Store\ThroughputSample;

/**
 * How a bucket fares over time, from what its flushers have noted.
 *
 * @internal
 */
final readonly class Throughput
{
    /** @param int $now microseconds since the Unix epoch */
    public function __construct(private StateRecord $record, private int $now) {}

    /**
     * What the last flush failed of, in words.
     *
     * @param bool $isByCallback who calls it decides when the next one is
     */
    public function trouble(bool $isByCallback = false): ?string
    {
        $trouble = $this->record->flush->trouble;

        if ($trouble === null) {
            return $this->record->flush->left === null ? null : "the last flush failed: {$this->record->flush->left}";
        }

        $wait = intdiv($trouble->nextTry - $this->now, 1_000_000) + 1;

        return ($trouble->isDown() ? 'nothing is delivered any more: ' : '')."{$trouble->attempts} ".($trouble->attempts === 1 ? 'flush failed at ' : 'flushes in a row failed since ').gmdate('Y-m-d H:i:s', intdiv($trouble->since, 1_000_000)).' UTC, the next try is '.($isByCallback ? 'the next call of flush()' : ($wait > 0 ? "in {$wait} s" : 'due')).". The last failure: {$trouble->reason}";
    }

    public function flushedSeconds(): ?float
    {
        return $this->record->flushedAt === 0 ? null : max(0.0, ($this->now - $this->record->flushedAt) / 1_000_000);
    }

    /** Until the rate lets something go; null: now. */
    public function goesOnSeconds(?RateLimit $rate, Clock $clock, bool $isShared = false): ?float
    {
        $now = $isShared ? $this->now : intdiv($clock->monotonicNanos(), 1000);
        $tokens = $rate === null || ! $isShared ? $this->record->flush->tokens : $this->record->flush->tokens?->shared($rate, $now);
        $wait = $rate === null ? 0 : $tokens?->wait($rate, $now) ?? 0;

        return $wait === 0 ? null : $wait / 1_000_000;
    }

    /**
     * Per second, since the older mark, which is one to two minutes old while something is delivered.
     *
     * @param int $accepted dead letters that are in the log again left out
     */
    public function in(int $accepted): ?float
    {
        return $this->per($accepted + $this->record->revived, static fn (ThroughputSample $mark): int => $mark->accepted);
    }

    public function out(int $delivered): ?float
    {
        return $this->per($delivered, static fn (ThroughputSample $mark): int => $mark->delivered);
    }

    /** @param Closure(ThroughputSample): int $then */
    private function per(int $now, Closure $then): ?float
    {
        $mark = $this->record->marks[0] ?? null;
        $seconds = $mark === null ? 0 : ($this->now - $mark->at) / 1_000_000;

        return $mark === null || $seconds < 1 ? null : max(0, $now - $then($mark)) / $seconds;
    }
}

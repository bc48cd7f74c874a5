<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\SlowLog;

use Headroom\Doctor\Logs\FrequencyTable;
use Headroom\Doctor\Logs\LogReader;
use Headroom\Doctor\Logs\LogSummary;
use Headroom\Doctor\Logs\TimeRange;
use Headroom\Doctor\Logs\UnparsedLines;

/**
 * What the traces of some files have in common, in memory that does not grow with them.
 *
 * @internal
 */
final class SlowLogSummary implements LogSummary
{
    public int $traces = 0;

    /** Without a frame, or with a last line that was not finished; not among the traces. */
    public int $truncated = 0;

    /** FPM wrote "+++ dump failed"; not among the traces. */
    public int $failed = 0;

    /** Of the traces, those without the way in: FPM stops at request_slowlog_trace_depth. */
    public int $cut = 0;

    /** The frames of the longest of these. */
    public int $depth = 0;

    public readonly FrequencyTable $waits;

    /** Of wait and purpose, as "redis session_write". */
    public readonly FrequencyTable $purposes;

    /** The library that waits for Redis. */
    public readonly FrequencyTable $clients;

    public readonly FrequencyTable $calls;

    /** Of wait and call, as "redis connect". */
    public readonly FrequencyTable $waitCalls;

    public readonly FrequencyTable $innermost;

    public readonly FrequencyTable $vendors;

    public readonly FrequencyTable $applications;

    public readonly FrequencyTable $pools;

    public readonly FrequencyTable $scripts;

    /** By hour of the day, "00" to "23". */
    public readonly FrequencyTable $hours;

    public readonly TimeRange $span;

    public readonly UnparsedLines $unread;

    public readonly FrameParser $frames;

    public function __construct()
    {
        [
            $this->waits, $this->purposes, $this->clients, $this->calls, $this->waitCalls,
        ] = [new FrequencyTable, new FrequencyTable, new FrequencyTable, new FrequencyTable, new FrequencyTable];
        [
            $this->innermost, $this->vendors, $this->applications,
        ] = [new FrequencyTable, new FrequencyTable, new FrequencyTable];
        [$this->pools, $this->scripts, $this->hours] = [new FrequencyTable, new FrequencyTable, new FrequencyTable];
        $this->span = new TimeRange;
        $this->unread = new UnparsedLines;
        $this->frames = new FrameParser;
    }

    public function reader(): LogReader
    {
        return new SlowLogReader($this);
    }

    public function entries(): int
    {
        return $this->traces + $this->truncated + $this->failed;
    }

    public function foreign(): int
    {
        return $this->unread->lines();
    }

    public function add(Trace $trace): void
    {
        $wait = $trace->wait->value;
        $root = $trace->root();
        $this->traces++;
        $this->waits->add($wait);
        $this->innermost->add($trace->frames[0]->place($root));
        $this->pools->add($trace->pool);
        $this->scripts->add($trace->script);
        $this->hours->add(substr($trace->time, 11, 2));
        $this->span->add($trace->time);

        if ($trace->purpose !== null) {
            $this->purposes->add("{$wait} {$trace->purpose->value}");
        }

        if ($trace->client !== null) {
            $this->clients->add($trace->client);
        }

        if ($trace->call !== null) {
            $this->calls->add("{$trace->call}()");
            $this->waitCalls->add("{$wait} {$trace->call}");
        }

        if ($trace->vendor !== null) {
            $this->vendors->add($trace->vendor->place($root));
        }

        if ($trace->application !== null) {
            $this->applications->add($trace->application->place($root));
        }

        if ($trace->isCut()) {
            $this->cut++;
            $this->depth = max($this->depth, count($trace->frames));
        }
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\SlowLog;

/**
 * Where one request was when it had just become slow.
 *
 * @internal
 */
final readonly class Trace
{
    /** Frames this far out lead to the wait; they are not the wait. */
    private const NEAR = 12;

    /** request_slowlog_trace_depth is 20 unless set; a shorter trace that ends early was started by something else. */
    private const CUT_FROM = 10;

    public WaitReason $wait;

    /** The call that PHP waits in, where it is known to be one. */
    public ?string $call;

    public ?WaitPurpose $purpose;

    public ?string $client;

    /** The first below vendor/. */
    public ?Frame $vendor;

    /** The first that is not, or, where there is no other, that in the entry script. */
    public ?Frame $application;

    /**
     * @param string $time "2020-11-27 13:20:11"
     * @param string $script empty when FPM could not read it
     * @param non-empty-list<Frame> $frames the innermost first
     */
    public function __construct(
        public string $time,
        public string $pool,
        public int $pid,
        public string $script,
        public array $frames,
    ) {
        $inner = $frames[0]->site;
        [$wait, $purpose, $client] = [$inner->wait, null, null];

        foreach ($this->near() as $site) {
            $wait ??= $site->wait;
            $client ??= $site->client;
            $purpose = $site->purpose !== null && $site->purpose->outranks($purpose) ? $site->purpose : $purpose;
        }

        $this->wait = $wait ?? $inner->innermost ?? WaitReason::Php;
        $this->client = $this->wait === WaitReason::Redis ? $client : null;
        $this->purpose = $purpose;
        $this->call = FrameClassifier::isCall($inner->function) ? $inner->function : null;
        [$this->vendor, $this->application] = $this->firstOfEach();
    }

    /** Cut off by FPM: the way in is not in the trace. */
    public function isCut(): bool
    {
        $outermost = $this->frames[count($this->frames) - 1]->site;

        return count($this->frames) >= self::CUT_FROM && ! $outermost->isUnknown() && ! $this->isEntry($outermost);
    }

    /** Where the files of the application begin, as the entry script tells; with a slash at its end. */
    public function root(): string
    {
        return $this->script === '' ? '' : rtrim(dirname($this->script, 2), '/').'/';
    }

    /**
     * @return list<CallSite> those that are about the same thing as the innermost: up to the application or a callback
     */
    private function near(): array
    {
        $near = [];

        foreach ($this->frames as $frame) {
            $near[] = $frame->site;

            if (! $frame->site->isVendor || $frame->site->isCallback() || count($near) === self::NEAR) {
                break;
            }
        }

        return $near;
    }

    /** @return array{?Frame, ?Frame} of vendor/ and of the application */
    private function firstOfEach(): array
    {
        [$vendor, $application, $entry] = [null, null, null];

        foreach ($this->frames as $frame) {
            if ($frame->site->isVendor) {
                $vendor ??= $frame;
            } elseif ($application === null && ! $frame->site->isUnknown()) {
                $this->isEntry($frame->site) ? $entry ??= $frame : $application = $frame;
            }

            if ($vendor !== null && $application !== null) {
                break;
            }
        }

        return [$vendor, $application ?? $entry];
    }

    /** By the end of the path: a deploy's symbolic link gives the script another one than its frames. */
    private function isEntry(CallSite $site): bool
    {
        $end = implode('/', array_slice(explode('/', $this->script), -2));

        return $this->script !== '' && ($site->file === $this->script || str_ends_with($site->file, "/{$end}"));
    }
}

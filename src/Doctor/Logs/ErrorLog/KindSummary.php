<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\ErrorLog;

use Headroom\Doctor\Logs\FrequencyTable;
use Headroom\Doctor\Logs\TimeRange;

/**
 * All lines of one kind.
 *
 * @internal
 */
final class KindSummary
{
    /** There are some sixty kinds, and the text of a log is not trusted. */
    private const MOST = 256;

    /** Kinds that say little without the place, or without the system's own words. */
    private const DETAILED = [
        FpmError::PhpMemory, FpmError::PhpTime, FpmError::PhpFatal,
        NginxError::UpstreamFailed, NginxError::SystemCall,
    ];

    public int $count = 0;

    public readonly TimeRange $span;

    /** @var array<string, int> lines by level, of which there are few */
    public array $levels = [];

    /** Upstreams of nginx. */
    public readonly FrequencyTable $upstreams;

    /** Servers of nginx, pools of FPM. */
    public readonly FrequencyTable $places;

    /** With their method, without their query. */
    public readonly FrequencyTable $uris;

    /** Places in scripts, or what the system said. */
    public readonly FrequencyTable $details;

    public readonly bool $isDetailed;

    public function __construct(public readonly ErrorKind $kind)
    {
        $this->span = new TimeRange;
        $this->upstreams = new FrequencyTable(self::MOST);
        $this->places = new FrequencyTable(self::MOST);
        $this->uris = new FrequencyTable(self::MOST);
        $this->details = new FrequencyTable(self::MOST);
        $this->isDetailed = in_array($kind, self::DETAILED, true);
    }

    /** @param ?string $time null where neither the line nor what handed it on tells */
    public function add(?string $time, string $level, ?string $place, ?string $upstream, ?string $uri): void
    {
        $this->count++;

        // Of many lines in one second one is enough.
        if ($time !== null && $time !== $this->span->last) {
            $this->span->add($time);
        }

        $this->levels[$level] = ($this->levels[$level] ?? 0) + 1;

        if ($upstream !== null || $uri !== null) {
            $this->isFrom($place, $upstream, $uri);
        } elseif ($place !== null && $place !== '') {
            $this->places->add($place);
        }
    }

    public function detail(?string $detail): void
    {
        if ($detail !== null) {
            $this->details->add($detail);
        }
    }

    public function isFrom(?string $place, ?string $upstream, ?string $uri): void
    {
        if ($place !== null && $place !== '') {
            $this->places->add($place);
        }

        if ($upstream !== null) {
            $this->upstreams->add($upstream);
        }

        if ($uri !== null) {
            $this->uris->add($uri);
        }
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

/**
 * A worker that runs on this machine, or on another one that shares the disk.
 *
 * @internal
 */
final readonly class RunningWorker
{
    /**
     * @param int $since seconds since the Unix epoch
     * @param list<string> $buckets
     */
    private function __construct(public int $pid, public string $host, public int $since, public array $buckets) {}

    /** @param string $text the content of the worker's file, or anything else */
    public static function fromJson(string $text): ?self
    {
        $values = json_decode($text, true);
        $values = is_array($values) ? $values : [];
        [$pid, $host, $since] = [$values['pid'] ?? null, $values['host'] ?? null, $values['since'] ?? null];

        return is_int($pid) && is_string($host) && is_int($since)
            ? new self(
                $pid,
                $host,
                $since,
                array_values(array_filter((array) ($values['buckets'] ?? []), is_string(...))),
            )
            : null;
    }
}

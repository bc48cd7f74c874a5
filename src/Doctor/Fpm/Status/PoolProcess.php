<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Status;

/**
 * One worker on the status page. A value that a version of FPM lacks, or an impossible one, is null.
 *
 * @internal
 */
final readonly class PoolProcess
{
    /**
     * @param ?int $durationMicros of the current request, or of the last one if idle
     * @param ?string $uri the path without the query, which may contain secrets
     * @param ?float $lastCpuPercent of the last request
     * @param ?int $lastMemoryBytes peak of the last request, in steps of 2 MiB
     */
    private function __construct(
        public int $pid,
        public ProcessState $state,
        public ?int $requests,
        public ?int $startSinceSeconds,
        public ?int $durationMicros,
        public ?string $method,
        public ?string $uri,
        public ?string $query,
        public ?string $script,
        public ?float $lastCpuPercent,
        public ?int $lastMemoryBytes,
    ) {}

    /** Null without a pid. */
    public static function fromPage(JsonFields $fields, bool $withQuery): ?self
    {
        $pid = $fields->count('pid');
        $uri = $fields->text('request uri');
        $parts = $uri === null ? [] : explode('?', $uri, 2);

        return $pid === null ? null : new self(
            $pid,
            ProcessState::fromPage($fields->text('state')),
            $fields->count('requests'),
            $fields->count('start since'),
            $fields->count('request duration'),
            $fields->text('request method'),
            $parts[0] ?? null,
            $withQuery ? $parts[1] ?? null : null,
            $fields->text('script'),
            $fields->number('last request cpu'),
            $fields->count('last request memory'),
        );
    }
}

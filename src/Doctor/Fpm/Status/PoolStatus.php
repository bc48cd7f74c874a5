<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Status;

use Headroom\Doctor\FactUnavailable;

/**
 * One response of a pool's status page. Fields of other versions of FPM are ignored, and missing ones are null.
 *
 * @internal
 */
final readonly class PoolStatus
{
    /**
     * @param string $source the address and path it came from
     * @param ?int $listenQueue always 0 on a Unix socket: php-src#9943
     * @param ?int $listenQueueLength 0 on a unix socket
     * @param ?int $idleProcesses updated once a second by the master, as the active ones and the queue are; the states
     *     of the processes are more recent
     * @param ?int $maxActiveProcesses may exceed the number of children
     * @param ?int $maxChildrenReached stays 0 with pm = static
     * @param ?int $memoryPeakBytes since PHP 8.4
     * @param ?list<PoolProcess> $processes null if the page has none
     * @param int $requests for the page, including failed attempts; each is an accepted connection
     */
    private function __construct(
        public string $source,
        public string $pool,
        public ?string $processManager,
        public ?int $startSinceSeconds,
        public ?int $acceptedConnections,
        public ?int $listenQueue,
        public ?int $maxListenQueue,
        public ?int $listenQueueLength,
        public ?int $idleProcesses,
        public ?int $activeProcesses,
        public ?int $totalProcesses,
        public ?int $maxActiveProcesses,
        public ?int $maxChildrenReached,
        public ?int $slowRequests,
        public ?int $memoryPeakBytes,
        public ?array $processes,
        public int $requests,
    ) {}

    /**
     * @param string $json the response to ?json, or ?json&full
     * @param bool $withQuery whether queries may be shown
     * @param int $requests that it took
     *
     * @throws FactUnavailable
     */
    public static function fromPage(string $json, string $source, bool $withQuery = false, int $requests = 1): self
    {
        $values = json_decode(self::repaired($json), true, 8, JSON_INVALID_UTF8_SUBSTITUTE);

        if (! is_array($values)) {
            throw UnreadableStatus::noJson($source, $json, json_last_error_msg());
        }

        $fields = new JsonFields($values);
        $pool = $fields->text('pool') ?? throw UnreadableStatus::noPool($source, $json);

        return new self(
            $source,
            $pool,
            $fields->text('process manager'),
            $fields->count('start since'),
            $fields->count('accepted conn'),
            $fields->count('listen queue'),
            $fields->count('max listen queue'),
            $fields->count('listen queue len'),
            $fields->count('idle processes'),
            $fields->count('active processes'),
            $fields->count('total processes'),
            $fields->count('max active processes'),
            $fields->count('max children reached'),
            $fields->count('slow requests'),
            $fields->count('memory peak'),
            $fields->has('processes') ? self::processes($fields, $withQuery) : null,
            $requests,
        );
    }

    /** @return int how many workers are in this state, of those the page shows */
    public function inState(ProcessState $state): int
    {
        return count(array_filter(
            $this->processes ?? [],
            static fn (PoolProcess $process): bool => $process->state === $state,
        ));
    }

    /** @return list<PoolProcess> */
    private static function processes(JsonFields $fields, bool $withQuery): array
    {
        return array_values(array_filter(array_map(
            static fn (JsonFields $process): ?PoolProcess => PoolProcess::fromPage($process, $withQuery),
            $fields->objects('processes'),
        )));
    }

    /** FPM prints this number with printf's %f: a decimal comma of the locale, or nan, makes the JSON invalid. */
    private static function repaired(string $json): string
    {
        return preg_replace(
            ['/("last request cpu":\s*-?\d+),(\d+)(?=\s*[,}])/', '/("last request cpu":\s*)-?(?:nan|inf)/i'],
            ['$1.$2', '$1null'],
            $json,
        ) ?? $json;
    }
}

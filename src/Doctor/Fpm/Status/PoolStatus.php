<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Status;

use Headroom\Doctor\FactUnavailable;

/**
 * One look at a pool's status page. Fields of other versions of FPM are left out; those a version lacks are null.
 *
 * @internal
 */
final readonly class PoolStatus
{
    /**
     * @param string $source the address and path it came from
     * @param ?int $listenQueue 0 on a unix socket, however many wait: php-src#9943
     * @param ?int $listenQueueLength 0 on a unix socket
     * @param ?int $idleProcesses counted once a second by the master, as the active ones and the queue: the states of
     *                            the processes are fresher
     * @param ?int $maxActiveProcesses may exceed the number of children
     * @param ?int $maxChildrenReached stays 0 with pm = static
     * @param ?int $memoryPeakBytes since PHP 8.4
     * @param ?list<PoolProcess> $processes null when the page had none to read
     * @param int $requests that it took to get the page, itself with those that were in vain:
     *     each is an accepted connection
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
     * @param string $json what the page says to ?json, or ?json&full
     * @param bool $withQuery whether the queries of requests may be shown
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

    /** FPM prints this one number with printf's %f: a locale's comma, or no number at all, is no JSON. */
    private static function repaired(string $json): string
    {
        return preg_replace(
            ['/("last request cpu":\s*-?\d+),(\d+)(?=\s*[,}])/', '/("last request cpu":\s*)-?(?:nan|inf)/i'],
            ['$1.$2', '$1null'],
            $json,
        ) ?? $json;
    }
}

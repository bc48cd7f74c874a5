<?php

declare(strict_types=1);

namespace Headroom\Collector\Server\Metrics;

use Headroom\Collector\Server\StateDirectory;

/**
 * The counters of all processes of a collector, past and present, in one text. Each process publishes its own; those of
 * the dead are added up in one file, which also says whose they are: who reads the living first and that file after
 * them counts nobody twice and nobody not at all, so that no counter ever goes back.
 *
 * @internal
 */
final readonly class MetricsFiles
{
    private const DEAD = 'dead';

    /** What a reader may have seen alive a moment ago. */
    private const MOST_REMEMBERED = 500;

    /** @var array<string, array{string, string}> by metric: type and help */
    private const KNOWN = [
        'headroom_events_accepted_total' => [
            'counter', 'Events that were put into the buffer before their answer was sent.',
        ],
        'headroom_events_rejected_total' => ['counter', 'Events that were refused for what they are.'],
        'headroom_events_refused_total' => ['counter', 'Events that the buffer could not take, by reason.'],
        'headroom_events_buried_total' => ['counter', 'Rejected events that were put into the dead bucket.'],
        'headroom_http_requests_total' => ['counter', 'Requests answered, by status.'],
        'headroom_ack_duration_seconds' => ['histogram', 'From the last byte of a request with events to its answer.'],
        'headroom_connections' => ['gauge', 'Open connections of clients.'],
        'headroom_connections_total' => ['counter', 'Connections accepted.'],
        'headroom_connections_dropped_total' => ['counter', 'Connections that were closed on a client, by reason.'],
        'headroom_accept_pauses_total' => [
            'counter', 'Times that accepting was paused since a worker had all the descriptors it may have.',
        ],
        'headroom_accept_paused' => ['gauge', 'Workers that accept nothing for that reason now.'],
        'headroom_commits_total' => [
            'counter', 'Appends to the buffer; one takes all events of a tick of the loop, or 256 KiB of them.',
        ],
        'headroom_handler_errors_total' => ['counter', 'Requests answered with 500, by class of the exception.'],
        'headroom_loop_lag_seconds' => [
            'gauge', 'The longest time within the last second in which a loop served nobody; of the worst worker.',
        ],
        'headroom_memory_bytes' => ['gauge', 'Memory of all workers.'],
        'headroom_workers' => ['gauge', 'Workers that live.'],
        'headroom_worker_restarts_total' => [
            'counter', 'Processes that were started in the place of others, by reason.',
        ],
        'headroom_spool_bytes' => ['gauge', 'Bytes of files with events that are not delivered yet, by bucket.'],
        'headroom_spool_segments' => ['gauge', 'Files with events that are not delivered yet, by bucket.'],
        'headroom_spool_events' => ['gauge', 'Events that are not delivered yet, by bucket.'],
        'headroom_spool_oldest_age_seconds' => ['gauge', 'Age of the oldest of them, by bucket.'],
        'headroom_spool_free_bytes' => ['gauge', 'Free space on the disk of the buffer.'],
        'headroom_sink_sent_total' => ['counter', 'Events delivered, by bucket and sink.'],
        'headroom_sink_failed_total' => ['counter', 'Deliveries that failed and are tried again, by bucket and sink.'],
        'headroom_sink_retried_total' => [
            'counter', 'Events that these had handed over and that are handed over again, by bucket and sink.',
        ],
        'headroom_sink_deadletter_total' => ['counter', 'Events that became dead letters, by bucket and sink.'],
    ];

    public function __construct(private StateDirectory $home) {}

    /**
     * @param string $id of this process, never used before
     * @param array<string, int|float> $counters
     * @param array<string, int|float> $gauges
     */
    public function publish(string $id, array $counters, array $gauges = []): void
    {
        $this->home->write("metrics/{$id}", ['counters' => $counters, 'gauges' => $gauges]);
    }

    /**
     * By one process only, after these processes have ended.
     *
     * @param list<string> $gone ids
     */
    public function bury(array $gone): void
    {
        $dead = $this->home->read('metrics/'.self::DEAD);
        $counters = self::numbers($dead['counters'] ?? null);
        $ids = self::texts($dead['ids'] ?? null);
        $buried = [];

        foreach (array_diff($gone, [self::DEAD]) as $id) {
            foreach (in_array(
                $id,
                $ids,
                true,
            ) ? [] : self::numbers($this->home->read("metrics/{$id}")['counters'] ?? null) as $series => $number) {
                $counters[$series] = ($counters[$series] ?? 0) + $number;
            }

            $buried[] = $id;
        }

        $ids = array_slice([...$ids, ...array_diff($buried, $ids)], -self::MOST_REMEMBERED);

        if ($buried !== [] && $this->home->write('metrics/'.self::DEAD, ['counters' => $counters, 'ids' => $ids])) {
            foreach ($buried as $id) {
                $this->home->remove("metrics/{$id}");
            }
        }
    }

    /** @return string in the text format of Prometheus */
    public function text(): string
    {
        $gauges = [];
        $parts = [];

        foreach ($this->home->names('metrics') as $id) {
            $parts[$id] = $id === self::DEAD ? [] : $this->home->read("metrics/{$id}");
        }

        $dead = $this->home->read('metrics/'.self::DEAD);
        $all = self::numbers($dead['counters'] ?? null);

        foreach ((new SapiCounters("{$this->home->path}/lane"))->sum() as $series => $number) {
            $all[$series] = ($all[$series] ?? 0) + $number;
        }

        foreach (array_diff_key($parts, array_flip(self::texts($dead['ids'] ?? null))) as $part) {
            foreach (self::numbers($part['counters'] ?? null) as $series => $number) {
                $all[$series] = ($all[$series] ?? 0) + $number;
            }

            foreach (self::numbers($part['gauges'] ?? null) as $series => $number) {
                $gauges[$series] = str_contains($series, '_lag_')
                    ? max($gauges[$series] ?? 0, $number)
                    : ($gauges[$series] ?? 0) + $number;
            }
        }

        return self::written($all + $gauges);
    }

    /** @param array<string, int|float> $series */
    private static function written(array $series): string
    {
        $byName = [];

        foreach ($series as $key => $number) {
            $name = (string) preg_replace('/\{.*/', '', $key);
            $byName[(string) preg_replace('/_(?:bucket|count|sum)\z/', '', $name)][] = $key.' '
                .(is_float($number) ? rtrim(sprintf('%.6F', $number), '0') : $number);
        }

        $text = '';

        foreach (self::KNOWN as $name => [$type, $help]) {
            $lines = $byName[$name] ?? [];
            // The bounds of a histogram stay in their order.
            $type === 'histogram' || sort($lines);
            $text .= $lines === []
                ? ''
                : "# HELP {$name} {$help}\n# TYPE {$name} {$type}\n"
                    .str_replace(".\n", ".0\n", implode("\n", $lines)."\n");
        }

        return $text;
    }

    /** @return array<string, int|float> */
    private static function numbers(mixed $value): array
    {
        $numbers = [];

        foreach (is_array($value) ? $value : [] as $series => $number) {
            if (is_int($number) || is_float($number)) {
                $numbers[(string) $series] = $number;
            }
        }

        return $numbers;
    }

    /** @return list<string> */
    private static function texts(mixed $value): array
    {
        return array_values(array_filter(is_array($value) ? $value : [], is_string(...)));
    }
}

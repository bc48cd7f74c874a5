<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Clock;
use Headroom\Core\Finding;
use Headroom\Core\HeadroomException;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\HasReadTimeout;
use Headroom\Spool\RedisStore\Client\Replication;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\RedisStore\Stream\Scripts;
use Headroom\Spool\SpoolConfig;

/**
 * Checks whether a Redis server can lose or refuse events. It runs for each bucket, because a cluster has several
 * servers.
 *
 * @internal
 */
final readonly class RedisServer
{
    /** The first version with XTRIM MINID and exclusive ranges. */
    private const MIN_VERSION = '6.2.0';

    private const NEARLY_FULL_PERCENT = 80;

    /** Both clocks decide whether Redis still remembers an append whose reply was lost. */
    private const MAX_SKEW_MILLIS = 5_000;

    public function __construct(private Client $client, private SpoolConfig $config, private Clock $clock) {}

    /**
     * @param string $bucket a valid name
     * @return list<Finding>
     */
    public function findings(string $bucket): array
    {
        $key = (new Keys($bucket))->log;
        $subject = "bucket {$bucket}, redis";

        try {
            $info = '';

            foreach (['server', 'memory', 'persistence', 'replication'] as $section) {
                $text = $this->client->command($key, ['INFO', $section]);
                $info .= is_string($text) ? $text : '';
            }

            $info = self::fields($info);

            return array_values(array_filter([
                ...$this->server($subject, $info),
                ...$this->memory($subject, $info),
                ...$this->persistence($subject, $info),
                ...$this->replicas($subject, $key, $info),
                $this->readTimeout($subject),
                $this->skew($subject, $bucket),
            ]));
        } catch (HeadroomException $e) {
            return [new Finding(
                $subject,
                "{$e->getMessage()} Until it answers, events go to this machine's disk and none are delivered.",
                "Fix the connection '{$this->config->redis()->connection}' under redis in config/database.php, or"
                    .' that server. The next `spool:flush` on this machine moves the events on disk to Redis.',
            )];
        }
    }

    /**
     * @param array<string, string> $info
     * @return list<Finding>
     */
    private function server(string $subject, array $info): array
    {
        $version = $info['redis_version'] ?? '';

        return $version !== '' && version_compare($version, self::MIN_VERSION, '<')
            ? [new Finding(
                $subject,
                "Its version is {$version}; the buffer needs ".self::MIN_VERSION.' or later.',
                'Use a newer Redis, or set the bucket\'s store to file.',
            )]
            : [];
    }

    /**
     * @param array<string, string> $info
     * @return list<Finding>
     */
    private function memory(string $subject, array $info): array
    {
        $problems = [];
        $policy = $info['maxmemory_policy'] ?? 'noeviction';
        $limit = (int) ($info['maxmemory'] ?? 0);
        $used = (int) ($info['used_memory'] ?? 0);

        if ($policy !== 'noeviction') {
            $problems[] = new Finding($subject, "Its maxmemory-policy is {$policy}: when memory is full, Redis can"
                .' evict accepted events that are not delivered.', 'Set `maxmemory-policy noeviction` in its'
                .' configuration. A cache that needs another policy needs another server.');
        }

        if ($limit > 0 && $used * 100 >= $limit * self::NEARLY_FULL_PERCENT) {
            $problems[] = new Finding(
                $subject,
                sprintf(
                    'It uses %d %% of its maxmemory of %d bytes. At the limit it refuses events, which go to the disk'
                        .' of each machine.',
                    intdiv($used * 100, $limit),
                    $limit,
                ),
                'Raise maxmemory, or deliver the waiting events with `spool:flush`.',
                false,
            );
        }

        return $problems;
    }

    /**
     * @param array<string, string> $info
     * @return list<Finding>
     */
    private function persistence(string $subject, array $info): array
    {
        if (($info['aof_enabled'] ?? '1') !== '1') {
            return [new Finding($subject, 'Its append-only file is off. A restart or a crash of Redis loses all'
                .' undelivered events since the last snapshot, or all undelivered events if there are no'
                .' snapshots.', 'Set `appendonly yes` (and `appendfsync everysec`, which loses about a second, or'
                .' `always`) in its configuration.', false)];
        }

        return ($info['aof_last_write_status'] ?? 'ok') === 'ok'
            ? []
            : [new Finding(
                $subject,
                'It cannot write its append-only file and refuses events, which go to the disk of each machine.',
                'Check the log and the disk of that server.',
            )];
    }

    /**
     * @param array<string, string> $info
     * @return list<Finding>
     */
    private function replicas(string $subject, string $key, array $info): array
    {
        if (($info['role'] ?? 'master') !== 'master') {
            return [new Finding(
                $subject,
                'It is a replica, which cannot accept events.',
                "Point the connection '{$this->config->redis()->connection}' in config/database.php to the master.",
            )];
        }

        $replicas = Replication::of($this->client, $key)->replicas;

        return match (true) {
            $replicas < $this->config->redis()->wait => [new Finding(
                $subject,
                "spool.redis.wait is {$this->config->redis()->wait}, and it has {$replicas} replicas. Each append"
                    ." waits {$this->config->redis()->waitMillis} ms for more and then goes to the disk.",
                'Repair the replicas, or lower spool.redis.wait.',
            )],
            $replicas > 0 && $this->config->redis()->wait === 0 => [new Finding(
                $subject,
                'It has replicas, and spool.redis.wait is 0, so an append waits for none. A replica that takes over'
                    .' may lack the latest events, which are then lost.',
                'Set spool.redis.wait to 1 if you cannot accept that loss; each append then waits for a replica.',
                false,
            )],
            default => [],
        };
    }

    private function readTimeout(string $subject): ?Finding
    {
        $settings = $this->config->redis();
        $millis = $this->client instanceof HasReadTimeout ? (int) round(1000 * $this->client->readTimeout()) : 0;

        return $settings->wait === 0 || $millis === 0 || $settings->waitMillis < $millis ? null : new Finding(
            $subject,
            "spool.redis.wait_ms is {$settings->waitMillis}, and the connection '{$settings->connection}' waits only"
                ." {$millis} ms for a reply. While replicas lag, an append times out before they confirm it and goes"
                .' to the disk, and the next append reconnects.',
            'Lower spool.redis.wait_ms, or set read_timeout (Predis: read_write_timeout) of that connection in'
                ." config/database.php to more than {$settings->waitMillis} ms.",
            false,
        );
    }

    private function skew(string $subject, string $bucket): ?Finding
    {
        $answer = $this->client->script(Scripts::HAS_TOKEN, (new Keys($bucket))->all(), ['']);
        $now = is_array($answer) ? array_values($answer)[2] ?? '' : '';
        $skew = is_string($now) && $now !== '' ? abs((int) $now - intdiv($this->clock->micros(), 1000)) : 0;

        return $skew <= self::MAX_SKEW_MILLIS
            ? null
            : new Finding(
                $subject,
                'Its clock and the clock of this machine are '.intdiv($skew, 1000)
                    .' s apart. This shortens the time in which the buffer can find out whether an append without a'
                    .' reply arrived.',
                'Synchronize both clocks with NTP.',
                false,
            );
    }

    /** @return array<string, string> */
    private static function fields(string $info): array
    {
        $fields = [];

        foreach (explode("\n", strtr($info, ["\r" => ''])) as $line) {
            $colon = strpos($line, ':');

            if ($colon !== false) {
                $fields[substr($line, 0, $colon)] = substr($line, $colon + 1);
            }
        }

        return $fields;
    }
}

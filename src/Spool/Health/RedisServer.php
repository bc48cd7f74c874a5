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
 * Whether a Redis server may be trusted with events, and what it would lose. Asked for each bucket, since a cluster has
 * several servers.
 *
 * @internal
 */
final readonly class RedisServer
{
    /** XTRIM MINID and exclusive ranges came with it. */
    private const OLDEST = '6.2.0';

    private const NEARLY_FULL_PERCENT = 80;

    /** Whether an append without a reply is still known is judged by both clocks. */
    private const MOST_SKEW_MILLIS = 5_000;

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
                $this->patience($subject),
                $this->skew($subject, $bucket),
            ]));
        } catch (HeadroomException $e) {
            return [new Finding(
                $subject,
                "{$e->getMessage()} Events go to the disk of this machine meanwhile, and nothing is delivered.",
                "Fix the connection '{$this->config->redis()->connection}' under redis in config/database.php, or that server. What is on disk goes into Redis with the next `spool:flush` on this machine.",
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

        return $version !== '' && version_compare($version, self::OLDEST, '<')
            ? [new Finding(
                $subject,
                "It is version {$version}; ".self::OLDEST.' is the oldest that can be used.',
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
            $problems[] = new Finding($subject, "Its maxmemory-policy is {$policy}: once memory is short, Redis may remove events that were accepted and not delivered.", 'Set `maxmemory-policy noeviction` in its configuration. A cache that needs another policy needs another server.');
        }

        if ($limit > 0 && $used * 100 >= $limit * self::NEARLY_FULL_PERCENT) {
            $problems[] = new Finding(
                $subject,
                sprintf(
                    '%d %% of its maxmemory of %d bytes are used. At the limit events go to the disk of each machine.',
                    intdiv($used * 100, $limit),
                    $limit,
                ),
                'Raise maxmemory, or let `spool:flush` deliver what waits.',
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
            return [new Finding($subject, 'Its append-only file is off: a restart or a crash of Redis loses every event that came since the last snapshot and is not delivered, or all where there are no snapshots.', 'Set `appendonly yes` (and `appendfsync everysec`, which loses about a second, or `always`) in its configuration.', false)];
        }

        return ($info['aof_last_write_status'] ?? 'ok') === 'ok'
            ? []
            : [new Finding(
                $subject,
                'Its append-only file cannot be written: it refuses events, which go to the disk of each machine.',
                'Look at the log and the disk of that server.',
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
                'It is a replica, which takes no events.',
                "Point the connection '{$this->config->redis()->connection}' in config/database.php to the master.",
            )];
        }

        $replicas = Replication::of($this->client, $key)->replicas;

        return match (true) {
            $replicas < $this->config->redis()->wait => [new Finding(
                $subject,
                "spool.redis.wait is {$this->config->redis()->wait}, and {$replicas} replicas follow it: each append waits {$this->config->redis()->waitMillis} ms in vain, and goes to the disk.",
                'Repair the replicas, or lower spool.redis.wait.',
            )],
            $replicas > 0 && $this->config->redis()->wait === 0 => [new Finding(
                $subject,
                'It has replicas, and an append waits for none: when one of them takes over, it may lack the events of the last moment, which are lost then.',
                'Nothing, if that is fine. Else set spool.redis.wait to 1; each append waits for the replica then.',
                false,
            )],
            default => [],
        };
    }

    private function patience(string $subject): ?Finding
    {
        $settings = $this->config->redis();
        $millis = $this->client instanceof HasReadTimeout ? (int) round(1000 * $this->client->readTimeout()) : 0;

        return $settings->wait === 0 || $millis === 0 || $settings->waitMillis < $millis ? null : new Finding(
            $subject,
            "spool.redis.wait_ms is {$settings->waitMillis}, and the connection '{$settings->connection}' waits {$millis} ms for a reply: while replicas lag, an append is cut off before it is known whether they have it, goes to the disk, and the next one connects anew.",
            "Lower spool.redis.wait_ms, or set read_timeout (Predis: read_write_timeout) of that connection in config/database.php to more than {$settings->waitMillis} ms.",
            false,
        );
    }

    private function skew(string $subject, string $bucket): ?Finding
    {
        $answer = $this->client->script(Scripts::HAS_TOKEN, (new Keys($bucket))->all(), ['']);
        $now = is_array($answer) ? array_values($answer)[2] ?? '' : '';
        $skew = is_string($now) && $now !== '' ? abs((int) $now - intdiv($this->clock->micros(), 1000)) : 0;

        return $skew <= self::MOST_SKEW_MILLIS
            ? null
            : new Finding(
                $subject,
                'Its clock and that of this machine are '.intdiv($skew, 1000)
                    .' s apart: whether an append without a reply came through can be told for a shorter time.',
                'Let both be set by NTP.',
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

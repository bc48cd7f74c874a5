<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Application\PhpCli;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\NotApplicable;

/**
 * Reads the reply timeout as Laravel's connectors merge it and each client interprets it: phpredis calls it
 * read_timeout, and 0 means PHP's default_socket_timeout; Predis calls it read_write_timeout, and 0 means no limit.
 *
 * @internal
 */
final readonly class ReplyTimeouts
{
    /** The first version that accepts a negative read_timeout; earlier ones throw "Invalid read timeout". */
    private const TAKES_NEGATIVE = '6.0.0';

    private string $client;

    /** @param ?string $client null: the configured one */
    public function __construct(private Application $app, private Facts $facts, ?string $client = null)
    {
        $this->client = $client ?? (new RedisUsage($app))->client();
    }

    /**
     * @throws FactUnavailable
     * @throws NotApplicable
     */
    public function of(string $connection): ReplyTimeout
    {
        [$option, $configured] = $this->read($connection);

        if ($configured === null) {
            return $this->byDefault($option, [$this->evidence($connection)]);
        }

        [$key, $value, $evidence] = $configured;
        $isUnset = $value === null || ($option === 'read_timeout' && (float) (is_numeric($value) ? $value : 0) === 0.0);

        if (! $isUnset && ! is_numeric($value)) {
            throw FactUnavailable::because("{$key} is no number.", "artisan config:show {$key}");
        }

        return match (true) {
            $isUnset => $this->byDefault($option, [$evidence]),
            (float) $value > 0.0 => new ReplyTimeout($option, $key, (float) $value, [$evidence]),
            $option === 'read_timeout' && ! $this->takesNegative() => new ReplyTimeout(
                $option,
                $key,
                0.0,
                [
                    $evidence,
                    new Evidence(
                        'phpredis',
                        (string) $this->facts->get(PhpCli::class)->phpredis,
                        'which accepts no negative read_timeout',
                    ),
                ],
            ),
            default => new ReplyTimeout($option, $key, null, [$evidence]),
        };
    }

    /**
     * Settings that make it longer than all blocking calls of the connection, also after the doctor's fix of block_for.
     * A queue that blocks forever would fail with any timeout, so it gets a block_for.
     *
     * @param int $least seconds, if no call blocks there
     * @return array<string, string> code of PHP by key of the configuration, the limit first
     *
     * @throws FactUnavailable
     */
    public function advised(string $connection, int $least): array
    {
        [$option, $configured] = $this->read($connection);
        $own = $this->app->has("database.redis.{$connection}")
            ? "database.redis.{$connection}.{$option}"
            : "database.redis.clusters.{$connection}.options.{$option}";
        $key = $configured === null || str_ends_with($configured[0], '.url') ? $own : $configured[0];
        $isShared = preg_match('/\Adatabase\.redis\.(?:clusters\.)?options\./', $key) === 1;
        $queues = $isShared ? RedisQueue::of($this->app) : RedisQueue::on($this->app, $connection);
        $seconds = RedisQueue::patience($queues) ?? $least;
        $settings = [$key => "{$seconds}.0"];

        foreach ($queues as $queue) {
            $blocks = $queue->seconds();
            $settings += $blocks !== null && $blocks <= 0.0 ? [$queue->key() => (string) RedisQueue::BLOCK_FOR] : [];
        }

        return $settings;
    }

    /** @throws FactUnavailable */
    public function ofQueue(RedisQueue $queue): ReplyTimeout
    {
        try {
            return $this->of($queue->redis);
        } catch (NotApplicable $e) {
            throw FactUnavailable::because(
                "How long its client waits for a reply is not known: {$e->getMessage()}.",
                "artisan config:show database.redis.{$queue->redis}",
            );
        }
    }

    /**
     * The settings after which the workers of a queue do not block for longer than their client waits.
     *
     * @return array<string, string> code of PHP by key of the configuration
     *
     * @throws FactUnavailable
     */
    public function advisedFor(RedisQueue $queue, ReplyTimeout $reply): array
    {
        $blocks = $queue->seconds() ?? 0.0;
        $isForever = $blocks <= 0.0;
        $settings = $isForever ? [$queue->key() => (string) RedisQueue::BLOCK_FOR] : [];

        return $reply->outlasts($isForever ? RedisQueue::BLOCK_FOR : $blocks)
            ? $settings
            : $settings + $this->advised($queue->redis, RedisQueue::BLOCK_FOR + RedisQueue::LONGER);
    }

    /**
     * The connect timeout of phpredis.
     *
     * @return array{string, float, Evidence} the key that sets it, seconds or 0.0, evidence
     */
    public function toConnect(string $connection): array
    {
        [$key, $value, $evidence] = $this->ofOne($connection, 'timeout') ?? [
            "database.redis.{$connection}.timeout",
            null,
            $this->app->evidence("database.redis.{$connection}.timeout"),
        ];

        return [
            str_ends_with($key, '.url') ? "database.redis.{$connection}.timeout" : $key,
            is_numeric($value) ? (float) $value : 0.0,
            $evidence,
        ];
    }

    /**
     * Whether a client reconnects and repeats the command if its connection is closed: phpredis does unless configured
     * otherwise, and Predis throws.
     *
     * @return array{bool, Evidence}
     */
    public function reconnects(string $connection): array
    {
        if ($this->client !== 'phpredis') {
            return [false, $this->app->evidence('database.redis.client')];
        }

        [, $value, $evidence] = $this->ofOne($connection, 'max_retries') ?? [
            null,
            null,
            new Evidence('max_retries', '10', 'default of phpredis'),
        ];

        return [$value === null || (is_numeric($value) && (int) $value > 0), $evidence];
    }

    /**
     * Whether the configuration itself limits it; PHP may add a limit of its own.
     *
     * @throws FactUnavailable
     */
    public function hasLimit(string $connection): bool
    {
        [, $configured] = $this->read($connection);

        return $configured !== null && is_numeric($configured[1]) && $configured[1] > 0;
    }

    /** @throws FactUnavailable */
    public function evidence(string $connection): Evidence
    {
        [$option, $configured] = $this->read($connection);

        return $configured[2]
            ?? new Evidence("{$option} of the connection {$connection}", 'not set', 'config/database.php');
    }

    /**
     * @return array{string, ?array{string, mixed, Evidence}} what the client calls it, and the key that sets it
     *
     * @throws FactUnavailable
     */
    private function read(string $connection): array
    {
        $option = $this->option($connection);

        return [
            $option,
            $this->app->has("database.redis.{$connection}")
                ? $this->ofOne($connection, $option)
                : $this->ofCluster($connection, $option),
        ];
    }

    /**
     * What the client calls it.
     *
     * @throws FactUnavailable
     */
    public function option(string $connection): string
    {
        return match ($this->client) {
            'phpredis' => 'read_timeout',
            'predis' => 'read_write_timeout',
            default => throw FactUnavailable::because(
                "How long the client {$this->client} waits for a reply is not known.",
                "artisan config:show database.redis.{$connection}",
            ),
        };
    }

    /** @return ?array{string, mixed, Evidence} */
    private function ofOne(string $connection, string $option): ?array
    {
        $own = "database.redis.{$connection}";
        $shared = $this->app->has(
            "database.redis.options.parameters.{$connection}",
        ) ? "database.redis.options.parameters.{$connection}" : 'database.redis.options.parameters';

        return $option !== 'read_write_timeout'
            ? $this->configured(
                "{$own}.options.{$option}",
                "database.redis.options.{$option}",
            ) ?? $this->inUrl($own, $option) ?? $this->configured("{$own}.{$option}")
            : $this->inUrl($own, $option) ?? $this->configured("{$own}.{$option}", "{$shared}.{$option}");
    }

    /** @return ?array{string, mixed, Evidence} of Predis the least patient node */
    private function ofCluster(string $connection, string $option): ?array
    {
        $cluster = "database.redis.clusters.{$connection}";

        if (! $this->app->has($cluster)) {
            throw FactUnavailable::because(
                "config/database.php has no connection to Redis called {$connection}.",
                'artisan config:show database.redis',
            );
        }

        if ($option === 'read_timeout') {
            return $this->configured(
                "{$cluster}.options.{$option}",
                "database.redis.clusters.options.{$option}",
                "database.redis.options.{$option}",
            );
        }

        $nodes = array_map(
            fn (string $node): ?array => $this->inUrl("{$cluster}.{$node}", $option)
                ?? $this->configured("{$cluster}.{$node}.{$option}"),
            array_filter($this->app->keys($cluster), static fn (string $node): bool => $node !== 'options'),
        );
        $limited = array_filter(
            $nodes,
            static fn (?array $configured): bool
                => $configured !== null && is_numeric($configured[1]) && $configured[1] > 0,
        );
        usort($limited, static fn (array $a, array $b): int => $a[1] <=> $b[1]);

        // A node without one has PHP's default, which is usually longer.
        return $limited[0] ?? (in_array(null, $nodes, true) ? null : $nodes[array_key_first($nodes) ?? 0] ?? null);
    }

    /** @return ?array{string, mixed, Evidence} of the first that is there, be it null */
    private function configured(string ...$keys): ?array
    {
        foreach ($keys as $key) {
            if ($this->app->has($key)) {
                return [$key, $this->app->value($key), $this->app->evidence($key)];
            }
        }

        return null;
    }

    /**
     * The value in the query of its URL, which has precedence over the array. The URL may contain a password and is not
     * shown.
     *
     * @return ?array{string, mixed, Evidence}
     */
    private function inUrl(string $key, string $option): ?array
    {
        $url = $this->app->text("{$key}.url") === '' ? $this->app->text($key) : $this->app->text("{$key}.url");
        $parts = parse_url($url);
        parse_str(is_array($parts) ? $parts['query'] ?? '' : '', $query);

        return array_key_exists($option, $query) ? [
            "{$key}.url",
            $query[$option],
            new Evidence(
                "{$option} in {$key}.url",
                is_numeric($query[$option]) ? $query[$option] : 'no number',
                'config/database.php',
            ),
        ] : null;
    }

    /** @param non-empty-list<Evidence> $evidence */
    private function byDefault(string $option, array $evidence): ReplyTimeout
    {
        $php = $this->facts->get(PhpCli::class);

        return new ReplyTimeout(
            $option,
            null,
            $php->socketTimeout < 0.0 ? null : $php->socketTimeout,
            [...$evidence, $php->evidence()],
        );
    }

    /** @throws FactUnavailable */
    private function takesNegative(): bool
    {
        $version = $this->facts->get(PhpCli::class)->phpredis ?? throw FactUnavailable::because(
            'The version of phpredis, which decides what a negative read_timeout means, is not known.',
            'php --ri redis',
        );

        return version_compare($version, self::TAKES_NEGATIVE, '>=');
    }
}

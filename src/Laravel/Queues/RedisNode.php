<?php

declare(strict_types=1);

namespace Headroom\Laravel\Queues;

use Illuminate\Redis\Connections\Connection;
use Illuminate\Redis\Connections\PhpRedisClusterConnection;
use Illuminate\Redis\Connections\PhpRedisConnection;
use Illuminate\Redis\Connections\PredisClusterConnection;

/**
 * The Redis server that holds a queue. In a cluster it is one of many.
 *
 * @internal
 */
final readonly class RedisNode
{
    /** Commands of a script go to the server that has its key, whatever the client, and whoever may use queues may use scripts. */
    private const INFO = "return redis.call('INFO', ARGV[1])";

    private string $key;

    public function __construct(private Connection $connection, string $queue)
    {
        $this->key = "queues:{$queue}";
    }

    /** @return array<string, string> by its names, without headings */
    public function info(string $section): array
    {
        $answer = $this->connection->command('eval', $this->connection instanceof PhpRedisConnection ? [self::INFO, [$this->key, $section], 1] : [self::INFO, 1, $this->key, $section]);
        preg_match_all('/^(\w+):(.*?)\r?$/m', is_string($answer) ? $answer : '', $lines);

        return array_combine($lines[1], $lines[2]);
    }

    /** @return string '' when it does not tell */
    public function setting(string $name): string
    {
        $answer = match (true) {
            $this->connection instanceof PhpRedisClusterConnection => $this->connection->command('config', [$this->key, 'GET', $name]),
            // It sends no command that has no key.
            $this->connection instanceof PredisClusterConnection => null,
            default => $this->connection->command('config', ['GET', $name]),
        };
        // RedisCluster gives names and values in turns.
        $value = is_array($answer) ? $answer[$name] ?? $answer[1] ?? '' : '';

        return is_scalar($value) ? (string) $value : '';
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Headroom\Bench\Queues\UnableToBench;
use Illuminate\Redis\Connections\Connection;
use Illuminate\Redis\Connections\PhpRedisClusterConnection;
use Illuminate\Redis\Connections\PhpRedisConnection;
use Illuminate\Redis\Connections\PredisClusterConnection;

/**
 * The Redis server that holds a queue. A cluster has several.
 *
 * @internal
 */
final readonly class RedisNode
{
    /**
     * A cluster client sends a script to the server of its key, and an account that may use queues may run scripts.
     */
    private const INFO = "return redis.call('INFO', ARGV[1])";

    /** The client adds its prefix to KEYS[1], which ends with the name of the benchmark's own queue. */
    private const SCAN = <<<'LUA'
        local prefix = string.sub(KEYS[1], 1, -1 - string.len(ARGV[1]))
        local pattern = string.gsub(prefix, '[%[%]%*%?%^\\]', '\\%0')
        local found = redis.call('SCAN', ARGV[2], 'MATCH', pattern .. '*', 'COUNT', 1000)
        local names = {}
        for at, key in ipairs(found[2]) do names[at] = string.sub(key, string.len(prefix) + 1) end
        return {found[1], names}
        LUA;

    private const MOST_SCANS = 100;

    /** The suffixes that Laravel appends to the key of a queue. */
    private const PARTS = '/:(?:notify|delayed|reserved)\z/';

    private string $key;

    public function __construct(private Connection $connection, private string $queue)
    {
        $this->key = "queues:{$queue}";
    }

    /** @return array<string, string> by its names, without headings */
    public function info(string $section): array
    {
        $answer = $this->script(self::INFO, $section);
        preg_match_all('/^(\w+):(.*?)\r?$/m', is_string($answer) ? $answer : '', $lines);

        return array_combine($lines[1], $lines[2]);
    }

    /** @return string '' if the server does not report it */
    public function setting(string $name): string
    {
        $answer = match (true) {
            $this->connection instanceof PhpRedisClusterConnection => $this->connection->command(
                'config',
                [$this->key, 'GET', $name],
            ),
            // This client sends no command without a key.
            $this->connection instanceof PredisClusterConnection => null,
            default => $this->connection->command('config', ['GET', $name]),
        };
        // RedisCluster returns names and values alternately.
        $value = is_array($answer) ? $answer[$name] ?? $answer[1] ?? '' : '';

        return is_scalar($value) ? (string) $value : '';
    }

    /**
     * @return array{list<string>, bool} other queues with this connection's prefix among the first 100,000 keys of
     *     the server, and whether it has more keys
     */
    public function otherQueues(): array
    {
        $names = [];
        $cursor = '0';

        for ($scans = 0; $scans < self::MOST_SCANS; $scans++) {
            $answer = $this->script(self::SCAN, $this->queue, $cursor);
            // phpredis returns false if the server refuses.
            [$cursor, $found] = is_array($answer) && count($answer) === 2
                ? $answer
                : throw UnableToBench::unanswered('SCAN');
            $cursor = is_scalar($cursor) ? (string) $cursor : '0';

            foreach (array_filter(is_array($found) ? $found : [], is_string(...)) as $name) {
                $names[(string) preg_replace(self::PARTS, '', $name)] = true;
            }

            if ($cursor === '0') {
                break;
            }
        }

        unset($names[$this->queue]);
        ksort($names, SORT_STRING);

        return [array_map(strval(...), array_keys($names)), $cursor !== '0'];
    }

    private function script(string $lua, string ...$arguments): mixed
    {
        return $this->connection->command('eval', $this->connection instanceof PhpRedisConnection
            ? [$lua, [$this->key, ...$arguments], 1]
            : [$lua, 1, $this->key, ...$arguments]);
    }
}

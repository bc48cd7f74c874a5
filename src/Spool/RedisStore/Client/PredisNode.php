<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

use Closure;
use ErrorException;
use Predis\Client as Predis;
use Predis\Command\Processor\KeyPrefixProcessor;
use Predis\Command\RawCommand;
use Predis\Connection\NodeConnectionInterface;
use Predis\Connection\Replication\ReplicationInterface;
use Predis\PredisException;
use Predis\Response\ErrorInterface;
use Predis\Response\Status;
use RuntimeException;

/**
 * A connection to one server through Predis. Commands bypass Predis\Client, which sends a command again after its reply
 * was lost.
 *
 * @internal
 */
final readonly class PredisNode implements Connection, HasReadTimeout
{
    private function __construct(private NodeConnectionInterface $connection, private string $prefix) {}

    public static function isInstalled(): bool
    {
        return class_exists(Predis::class);
    }

    /**
     * @param Closure(): mixed $connect returns a Predis\Client
     *
     * @throws RedisFailure
     */
    public static function open(Closure $connect): self
    {
        $connectErrors = new ConnectErrors;

        try {
            $client = $connect();
            assert($client instanceof Predis);
            $connection = $client->getConnection();
            $node = $connection instanceof ReplicationInterface ? $connection->getMaster() : $connection;
            $node instanceof NodeConnectionInterface
                || throw RedisFailure::notReached(
                    'Predis is configured for several servers that are not a Redis Cluster; configure one of them',
                );
            $connectErrors->collect(static fn () => $node->connect());
        } catch (PredisException|RuntimeException $e) {
            throw match (true) {
                $e instanceof RedisFailure => $e,
                // Predis: "Failed: NOAUTH Authentication required. [tcp://...]"
                preg_match('/^Failed: ([A-Z]{3,} .*?)( \[\S+\])?$/', $e->getMessage(), $m)
                    === 1 => RedisFailure::refused($m[1], $e),
                default => RedisFailure::notReached($connectErrors->reason($e->getMessage()), $e),
            };
        }

        $prefix = $client->getOptions()->prefix;

        return new self($node, $prefix instanceof KeyPrefixProcessor ? $prefix->getPrefix() : '');
    }

    public function send(string $key, array $command): mixed
    {
        $name = (string) array_shift($command);

        try {
            // The warnings of a broken stream are suppressed, because an application's error handler would throw them.
            // Predis also reports each failure by an exception.
            return self::value(@$this->connection->executeCommand(new RawCommand($name, $command)));
        } catch (PredisException|RuntimeException|ErrorException $e) {
            throw $e instanceof RedisFailure ? $e : RedisFailure::replyLost($e->getMessage(), $e);
        }
    }

    public function prefix(): string
    {
        return $this->prefix;
    }

    public function readTimeout(): float
    {
        $seconds = $this->connection->getParameters()->toArray()['read_write_timeout'] ?? null;

        return is_numeric($seconds) ? max(0.0, (float) $seconds) : 0.0;
    }

    public function close(): void
    {
        $this->connection->disconnect();
    }

    private static function value(mixed $reply): mixed
    {
        return match (true) {
            is_array($reply) => array_map(self::value(...), $reply),
            $reply instanceof ErrorInterface => throw RedisFailure::refused($reply->getMessage()),
            $reply instanceof Status => $reply->getPayload(),
            default => $reply,
        };
    }
}

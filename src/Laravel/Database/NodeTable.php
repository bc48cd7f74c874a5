<?php

declare(strict_types=1);

namespace Headroom\Laravel\Database;

use DateTimeImmutable;
use DateTimeZone;
use Headroom\Spool\Monitoring\BucketHeartbeat;
use Headroom\Spool\Monitoring\Heartbeat;
use Headroom\Spool\Monitoring\Nodes;
use Headroom\Spool\Monitoring\NodeStatus;
use Headroom\Support\PhpRestrictions;
use Illuminate\Database\Connection;
use Illuminate\Database\DatabaseManager;
use Illuminate\Database\Query\Builder;
use PDO;

/**
 * Stores heartbeats as rows of a table that all nodes share. It uses a connection of its own with short timeouts, and
 * closes it at once: the application's connection may be in a transaction, and may wait for any time.
 *
 * @internal
 */
final readonly class NodeTable implements Nodes
{
    public const TABLE = 'spool_nodes';

    private const CONNECTION = 'spool-nodes';

    private const SECONDS = 2;

    /** @param ?string $name null means the default connection */
    public function __construct(private DatabaseManager $databases, private ?string $name = null) {}

    public function beat(Heartbeat $beat): bool
    {
        return $this->withConnection(function (Connection $connection) use ($beat): bool {
            $now = $this->withTimeout($connection, fn (): string => $this->write($connection, $beat));

            // Delete what this disk reported before a reboot, or from another machine that no longer uses it. The
            // deletion has a separate transaction: in one transaction with the insert, two nodes that return at once
            // could each wait for the other's row.
            $this->withTimeout($connection, fn (): int => $this->rowsOf($connection, $beat->node)
                ->where('machine', '<>', $beat->machine)
                ->where(
                    'last_seen',
                    '<',
                    $this->time($now)->modify('-'.NodeStatus::SILENT_SECONDS.' seconds')->format('Y-m-d H:i:s'),
                )
                ->delete());

            return true;
        }) ?? false;
    }

    /** @return string time of the database */
    private function write(Connection $connection, Heartbeat $beat): string
    {
        $now = $this->now($connection);
        $row = $this->row($beat, $now);
        $mine = $connection->table(self::TABLE)->where('node', $beat->node)->where('machine', $beat->machine);

        // Zero rows may also mean that the update changed nothing.
        if ($mine->update($row) === 0) {
            $connection->table(self::TABLE)
                ->insertOrIgnore(['node' => $beat->node, 'machine' => $beat->machine, 'since' => $now, ...$row]);
        }

        return $now;
    }

    public function all(): ?array
    {
        return $this->withConnection(fn (Connection $connection): array => $this->withTimeout(
            $connection,
            function () use ($connection): array {
                $now = $this->time($this->now($connection))->getTimestamp();
                $rows = $connection->table(self::TABLE)->orderBy('node')->orderByDesc('last_seen')->get()->all();

                return array_values(array_map(
                    fn (object $row): NodeStatus => $this->status((array) $row, $now),
                    $rows,
                ));
            },
        ));
    }

    public function forget(string $node, ?string $machine = null): int
    {
        $of = fn (Connection $connection): Builder => $machine === null
            ? $this->rowsOf($connection, $node)
            : $this->rowsOf($connection, $node)->where('machine', $machine);

        return $this->withConnection(fn (Connection $connection): int => $this->withTimeout(
            $connection,
            static fn (): int => $of($connection)->delete(),
        )) ?? 0;
    }

    /**
     * @template TResult
     *
     * @param callable(Connection): TResult $do
     * @return ?TResult null if the table does not exist
     */
    private function withConnection(callable $do): mixed
    {
        /** @var array<string, mixed> $config */
        $config = $this->databases->connection($this->name)->getConfig();
        $options = is_array($config['options'] ?? null) ? $config['options'] : [];
        $config['options'] = [PDO::ATTR_TIMEOUT => self::SECONDS, PDO::ATTR_PERSISTENT => false] + $options;
        $before = PhpRestrictions::call('ini_get', 'mysqlnd.net_read_timeout');
        $before === false ? null : PhpRestrictions::call('ini_set', 'mysqlnd.net_read_timeout', (string) self::SECONDS);

        try {
            $connection = $this->databases->connectUsing(self::CONNECTION, $config, true);

            if (! $connection instanceof Connection) {
                return null;
            }

            // A replica lacks the last heartbeat, and the timeout of the transaction would not apply to it.
            $connection->useWriteConnectionWhenReading();

            return $this->withTimeout(
                $connection,
                static fn (): bool => $connection->getSchemaBuilder()->hasTable(self::TABLE),
            )
                ? $do($connection)
                : null;
        } finally {
            $this->databases->purge(self::CONNECTION);
            $before === false ? null : PhpRestrictions::call('ini_set', 'mysqlnd.net_read_timeout', $before);
        }
    }

    /**
     * PostgreSQL waits for a lock without a limit. The timeout is set for the transaction only, because a pooler may
     * give the session to another client.
     *
     * @template TResult
     *
     * @param callable(): TResult $do
     * @return TResult
     */
    private function withTimeout(Connection $connection, callable $do): mixed
    {
        if ($connection->getDriverName() !== 'pgsql') {
            return $do();
        }

        $connection->unprepared('begin');
        $connection->unprepared('set local statement_timeout = '.(1000 * self::SECONDS));
        $result = $do();
        $connection->unprepared('commit');

        return $result;
    }

    private function rowsOf(Connection $connection, string $node): Builder
    {
        return $connection->table(self::TABLE)->where('node', $node);
    }

    /** The time of the database in UTC, because the clocks of the machines may differ. */
    private function now(Connection $connection): string
    {
        $now = $connection->scalar('select '.match ($connection->getDriverName()) {
            'mysql', 'mariadb' => 'utc_timestamp()',
            'pgsql' => "to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')",
            'sqlsrv' => 'convert(varchar(19), sysutcdatetime(), 120)',
            default => "datetime('now')",
        }, [], false);

        return is_string($now) ? $now : '';
    }

    private function time(mixed $text): DateTimeImmutable
    {
        return new DateTimeImmutable(is_string($text) ? $text : '@0', new DateTimeZone('UTC'));
    }

    /** @return array<string, int|string|null> */
    private function row(Heartbeat $beat, string $now): array
    {
        $buckets = [];

        foreach ($beat->buckets as $bucket) {
            $buckets[$bucket->bucket] = $bucket->toArray();
        }

        return [
            'host' => $beat->host,
            'pid' => $beat->pid,
            'path' => $beat->path,
            'last_seen' => $now,
            'pending' => $beat->pending(),
            'oldest_seconds' => $beat->oldestSeconds(),
            'dead' => $beat->dead(),
            'dropped' => $beat->dropped(),
            'troubled' => $beat->failing(),
            'buckets' => json_encode(
                (object) $buckets,
                JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES,
            ),
        ];
    }

    /** @param array<mixed> $row */
    private function status(array $row, int $now): NodeStatus
    {
        $text = static fn (string $column): string => is_scalar($row[$column] ?? null) ? (string) $row[$column] : '';
        $buckets = json_decode($text('buckets'), true);
        $beats = [];

        foreach (is_array($buckets) ? $buckets : [] as $name => $values) {
            $beats[] = BucketHeartbeat::fromArray((string) $name, $values);
        }

        return new NodeStatus(
            new Heartbeat($text('node'), $text('machine'), $text('host'), (int) $text('pid'), $text('path'), $beats),
            max(0, $now - $this->time($text('last_seen'))->getTimestamp()),
            max(0, $now - $this->time($text('since'))->getTimestamp()),
        );
    }
}

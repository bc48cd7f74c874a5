<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\SystemClock;
use Headroom\Sink\ClickHouse\ClickHouseSink;
use Headroom\Support\ConfigReader;
use Headroom\Testing\Arrived;
use Headroom\Testing\AtLeastOnceContract;
use Headroom\Tests\Support\ClickHouse\ClickHouseServer;

/**
 * On a real ClickHouse.
 */
final class ClickHouseSinkTest extends AtLeastOnceContract
{
    private ClickHouseServer $server;

    private string $table;

    protected function setUp(): void
    {
        $this->server = ClickHouseServer::get();
        $this->table = 'contract_'.bin2hex(random_bytes(6));
        $this->server->ask(
            "CREATE TABLE {$this->table} (event_id String, id String, text Nullable(String), number Nullable(Int64),"
                .' ratio Nullable(Float64), flag Nullable(UInt8)) ENGINE = ReplacingMergeTree ORDER BY event_id',
        );
    }

    protected function tearDown(): void
    {
        if (isset($this->server)) {
            $this->server->ask("DROP TABLE IF EXISTS {$this->table}");
        }
    }

    public function createSink(): ClickHouseSink
    {
        return ClickHouseSink::fromOptions(
            new ConfigReader(['url' => $this->server->url, 'table' => $this->table], 'spool.buckets.events'),
            new SystemClock,
        );
    }

    /** A table has no order but that of its key. */
    public function arrived(): array
    {
        return array_map(static function (array $row): Arrived {
            $id = $row['event_id'] ?? null;
            self::assertIsString($id);
            $row['flag'] = $row['flag'] === null ? null : $row['flag'] === 1;
            $row['ratio'] = is_int($row['ratio']) ? (float) $row['ratio'] : $row['ratio'];

            return new Arrived(array_diff_key($row, ['event_id' => true]), $id);
        }, $this->server->rows("SELECT * FROM {$this->table} ORDER BY event_id"));
    }

    public function obstruct(): void
    {
        $this->server->ask("RENAME TABLE {$this->table} TO {$this->table}_away");
    }

    public function clear(): void
    {
        $this->server->ask("RENAME TABLE {$this->table}_away TO {$this->table}");
    }
}

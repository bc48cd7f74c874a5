<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use DateTimeImmutable;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Core\SystemClock;
use Headroom\Sink\ClickHouse\ClickHouseSink;
use Headroom\Sink\ClickHouse\InsertRefused;
use Headroom\Sink\ClickHouse\SomeRowsRefused;
use Headroom\Sink\ClickHouse\TableRefused;
use Headroom\Sink\Delivery;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\ConfigReader;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Support\ClickHouse\ClickHouseServer;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Rows that a real ClickHouse accepts, and rows that it refuses.
 */
final class ClickHouseSinkRefusalTest extends TestCase
{
    private ClickHouseServer $server;

    private string $table;

    protected function setUp(): void
    {
        $this->server = ClickHouseServer::get();
        $this->table = 'refusal_'.bin2hex(random_bytes(6));
        $this->server->ask(
            "CREATE TABLE {$this->table} (event_id String, n Int64, at DateTime('UTC'), data String, raw String) ENGINE"
                .' = ReplacingMergeTree ORDER BY event_id',
        );
    }

    protected function tearDown(): void
    {
        if (isset($this->server)) {
            $this->server->ask("DROP TABLE {$this->table}");
        }
    }

    #[Test]
    public function dates_structures_and_bytes_arrive(): void
    {
        $delivery = $this->delivery([[
            'n' => 1,
            'at' => new DateTimeImmutable('2026-07-14T03:33:20.123456+02:00'),
            'data' => new Json('{"a": [1, "é"]}'),
            'raw' => new Bytes("\xFF\x00"),
        ]]);
        self::assertNull($this->failure($this->sink(), $delivery));

        self::assertSame(
            [['n' => 1, 'at' => '2026-07-14 01:33:20', 'data' => '{"a": [1, "é"]}', 'raw' => '/wA=']],
            $this->server->rows("SELECT n, at, data, raw FROM {$this->table}"),
        );
    }

    #[Test]
    public function a_range_that_comes_again_is_seen_once_with_final(): void
    {
        $delivery = $this->delivery([['n' => 1], ['n' => 2]]);
        self::assertNull($this->failure($this->sink(), $delivery));
        self::assertNull($this->failure($this->sink(), $delivery));

        self::assertSame([['c' => 2]], $this->server->rows("SELECT count() AS c FROM {$this->table} FINAL"));
    }

    #[Test]
    public function an_event_with_its_own_id_is_stored_once_from_any_path(): void
    {
        $this->server->ask("ALTER TABLE {$this->table} ADD COLUMN source String, ADD COLUMN id String");
        $row = ['source' => 'https://shop', 'id' => 'e-1', 'n' => 1];
        self::assertNull($this->failure($this->sink(), $this->delivery([$row])));
        self::assertNull($this->failure($this->sink(), $this->delivery([$row])));
        self::assertNull($this->failure($this->sink(), $this->delivery([['source' => 'https://other'] + $row])));

        self::assertSame([['c' => 2]], $this->server->rows("SELECT count() AS c FROM {$this->table} FINAL"));
    }

    #[Test]
    public function rows_that_cannot_be_read_are_named_and_all_others_arrive(): void
    {
        $rows = array_map(static fn (int $n): array => ['n' => $n], range(0, 99));
        $rows[17] = ['n' => 'confidential'];
        $rows[80] = ['n' => 80, 'nowhere' => 1];
        $failure = $this->failure($this->sink(), $this->delivery($rows));

        self::assertInstanceOf(SomeRowsRefused::class, $failure);
        self::assertSame([17, 80], array_keys($failure->refused()));
        self::assertMatchesRegularExpression('/\A(?!.*\b117\b)(?=.*`n`)/', $failure->refused()[17]);
        self::assertMatchesRegularExpression('/\A(?=.*\b117\b)(?=.*`nowhere`)/', $failure->refused()[80]);
        self::assertStringNotContainsString('confidential', $failure->getMessage().implode('', $failure->refused()));
        self::assertSame([['c' => 98]], $this->server->rows("SELECT count() AS c FROM {$this->table}"));
    }

    #[Test]
    public function of_too_many_of_them_nothing_is_taken_and_they_are_found_by_halves(): void
    {
        $failure = $this->failure($this->sink(), $this->delivery(array_fill(0, 20, ['n' => 'x'])));

        self::assertInstanceOf(InsertRefused::class, $failure);
        self::assertSame([['c' => 0]], $this->server->rows("SELECT count() AS c FROM {$this->table}"));
    }

    #[Test]
    public function a_single_one_is_refused_as_it_is(): void
    {
        self::assertInstanceOf(InsertRefused::class, $this->failure($this->sink(), $this->delivery([['n' => 'x']])));
    }

    /** @param array<string, mixed> $options */
    #[Test]
    #[TestWith([['table' => 'nowhere'], 'collect:install'])]
    #[TestWith([['table' => 'nobody.nowhere'], 'collect:install'])]
    #[TestWith([['auth' => ['basic' => 'eve:pass-phrase']], "'auth'"])]
    #[TestWith([['auth' => ['basic' => 'headroom:pass-phrase']], "'auth'"])]
    public function a_wrong_table_or_user_is_not_the_fault_of_an_event(array $options, string $next): void
    {
        $failure = $this->failure($this->sink($options), $this->delivery([['n' => 1]]));

        self::assertInstanceOf(TableRefused::class, $failure);
        self::assertStringContainsString($next, $failure->getMessage());
        self::assertStringNotContainsString('pass-phrase', $failure->getMessage());
    }

    #[Test]
    public function with_the_right_password_it_is_taken(): void
    {
        self::assertNull($this->failure(
            $this->sink(['auth' => ['basic' => 'headroom:headroom']]),
            $this->delivery([['n' => 1]]),
        ));
    }

    /** @param non-empty-list<non-empty-array<string, scalar|Json|Bytes|DateTimeImmutable>> $rows */
    private function delivery(array $rows): Delivery
    {
        return ContractLog::of('events')->delivery($rows);
    }

    private function failure(ClickHouseSink $sink, Delivery $delivery): ?UnableToDeliver
    {
        try {
            $sink->deliver($delivery);
        } catch (UnableToDeliver $failure) {
            return $failure;
        }

        return null;
    }

    /** @param array<string, mixed> $options */
    private function sink(array $options = []): ClickHouseSink
    {
        return ClickHouseSink::fromOptions(
            new ConfigReader(
                ['url' => $this->server->url, 'table' => $this->table, ...$options],
                'spool.buckets.events',
            ),
            new SystemClock,
        );
    }
}

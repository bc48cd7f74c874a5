<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use DateTimeImmutable;
use DateTimeZone;
use Headroom\Core\Batch;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Sink\Database\DatabaseSink;
use Headroom\Sink\Delivery;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Encoding\LineDecoder;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Contract\Support\FreshDatabase;
use Headroom\Tests\Contract\Support\TestDatabase;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A column keeps as much of a second as it is declared for, and none is rounded up.
 */
final class DatabaseSinkDatesTest extends TestCase
{
    private const LAST = '2025-12-31 23:59:59.999999';

    private ?FreshDatabase $database = null;

    protected function tearDown(): void
    {
        $this->database?->drop();
        $this->database = null;
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_column_has_the_digits_that_it_is_declared_with(TestDatabase $kind): void
    {
        $database = $this->events($kind);
        $columns = ['whole', 'millis', 'micros', 'stamp', 'text'];
        $row = static fn (int $id): array
            => ['id' => $id, ...array_fill_keys($columns, new DateTimeImmutable(self::LAST, new DateTimeZone('UTC')))];
        // An offset with seconds is not read by the ordinary format.
        $old = [
            'id' => 4,
            ...array_fill_keys(
                $columns,
                new DateTimeImmutable('1890-01-01 00:00:00.125125', new DateTimeZone('Europe/Amsterdam')),
            ),
        ];
        $this->deliver($database->sink('events'), [$row(1), $row(2)]);
        $this->deliver($database->sink('events'), [$row(3), $old]);
        $database->sink('events')
            ->deliverDirectly($this->delivery(ContractLog::of('dates'), [$row(5)]), static fn () => null);

        $last = [
            'whole' => '2025-12-31 23:59:59',
            'millis' => '2025-12-31 23:59:59.999',
            'micros' => self::LAST,
            'stamp' => self::LAST,
            'text' => '2025-12-31 23:59:59',
        ];
        $old = [
            'whole' => '1890-01-01 00:00:00',
            'millis' => '1890-01-01 00:00:00.125',
            'micros' => '1890-01-01 00:00:00.125125',
            'stamp' => '1890-01-01 00:00:00.125125',
            'text' => '1890-01-01 00:00:00',
        ];
        self::assertSame(
            [$last, $last, $last, $old, $last],
            array_map(
                get_object_vars(...),
                $database->connection()->table('events')->orderBy('id')->get($columns)->all(),
            ),
        );
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function of_two_events_within_a_second_the_later_one_is_the_newer(TestDatabase $kind): void
    {
        $database = $this->events($kind);
        $at = static fn (string $fraction): DateTimeImmutable
            => new DateTimeImmutable("2025-03-01 12:00:00.{$fraction}", new DateTimeZone('UTC'));
        $sink = $database->configured([
            'table' => 'events',
            'mode' => 'upsert',
            'unique' => ['id'],
            'newer' => 'micros',
        ]);
        $this->deliver($sink, [
            ['id' => 1, 'text' => 'later', 'micros' => $at('700000')],
            ['id' => 1, 'text' => 'earlier', 'micros' => $at('600000')],
        ]);
        $this->deliver($sink, [['id' => 1, 'text' => 'earlier, too', 'micros' => $at('650000')]]);

        self::assertSame(['later'], $database->connection()->table('events')->pluck('text')->all());
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_key_with_a_time_is_another_one_at_another_moment_of_the_second(TestDatabase $kind): void
    {
        $database = $this->events($kind, 'create unique index moments on events (micros)');
        $row = static fn (int $id, string $time): array
            => ['id' => $id, 'micros' => new DateTimeImmutable("2025-03-01 12:00:{$time}", new DateTimeZone('UTC'))];
        $this->deliver(
            $database->configured(['table' => 'events', 'mode' => 'upsert', 'unique' => ['micros'], 'update' => []]),
            [$row(1, '00.1'), $row(2, '00.2'), $row(3, '00.1')],
        );

        self::assertSame([1, 2], $database->connection()->table('events')->orderBy('id')->pluck('id')->all());
    }

    private function events(TestDatabase $kind, string ...$more): FreshDatabase
    {
        $this->database = $database = FreshDatabase::create($kind);
        [$whole, $millis, $micros, $stamp] = match ($kind) {
            TestDatabase::Sqlite => ['datetime', 'DATETIME(3)', 'datetime (6)', 'timestamp(6)'],
            TestDatabase::MariaDb, TestDatabase::MySql => ['datetime', 'datetime(3)', 'datetime(6)', 'datetime(6)'],
            // The types that Laravel's migrations create, and a type of PostgreSQL without a number.
            TestDatabase::PostgreSql => ['timestamp(0)', 'timestamp(3)', 'timestamp(6)', 'timestamp'],
        };

        foreach ([
            "create table events (id int primary key, whole {$whole} null, millis {$millis} null, micros {$micros}"
                ." null, stamp {$stamp} null, text varchar(255) null)",
            ...$more,
        ] as $sql) {
            $database->connection()->statement($sql);
        }

        return $database;
    }

    /** @param non-empty-list<non-empty-array<string, mixed>> $rows */
    private function deliver(DatabaseSink $sink, array $rows): void
    {
        $log = ContractLog::of('dates');
        $sink->register($log->source);
        $sink->deliver($this->delivery($log, $rows));
    }

    /**
     * As it comes out of a log: where all rows have the same columns, a column at a time.
     *
     * @param non-empty-list<non-empty-array<string, mixed>> $rows
     */
    private function delivery(ContractLog $log, array $rows): Delivery
    {
        $codec = new Codec;
        $lines = array_map($codec->encode(...), $rows);
        /** @var non-empty-list<non-empty-array<string, scalar|null|Json|Bytes|DateTimeImmutable>> $values */
        $values = array_map(static fn (string $line): array => $codec->decode($line)[0], $lines);
        $delivery = $log->delivery($values);
        $replaced = 0;
        $columns = (new LineDecoder($codec))->rows($lines, $replaced);

        return $columns === null
            ? $delivery
            : new Delivery(
                $delivery->source,
                $delivery->from,
                $delivery->to,
                new Batch($columns, $delivery->batch->record(...)),
            );
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\Bytes;
use Headroom\Core\Position;
use Headroom\Core\Retryable;
use Headroom\Sink\Database\RowsRefused;
use Headroom\Sink\InvalidRecords;
use Headroom\Sink\UnableToDeliver;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Contract\Support\DatabaseTestCase;
use Headroom\Tests\Contract\Support\FreshDatabase;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Support\Sentence;
use Illuminate\Database\Schema\Blueprint;
use PDO;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;

/**
 * Names are names, values are values, and a statement is no larger than its server takes.
 */
final class DatabaseSinkNamesTest extends DatabaseTestCase
{
    private const NAMES = [
        'a.b', 'meta->utm', 'path as p', '*', 'a?b', 'a"b', 'a`b', "a'b", '--', 'select', 'a b', 'ü', '$1', '(x)',
        'a,b',
    ];

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_column_of_any_name_is_written_in_each_mode(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $this->strangeTable($database);
        $row = ['id' => 1]
            + array_combine(
                self::NAMES,
                array_map(static fn (int $n): string => "value {$n}", array_keys(self::NAMES)),
            );

        $this->registered($database->sink('strange'))->deliver($this->log->delivery([$row]));
        self::assertSame([$row], $this->rowsOf($database));

        $changed = array_map(
            static fn (string|int $value): string|int => is_int($value) ? $value : "new {$value}",
            $row,
        );
        $database->configured(['table' => 'strange', 'mode' => 'upsert', 'unique' => ['id']])
            ->deliver($this->log->delivery([$changed]));
        self::assertSame([$changed], $this->rowsOf($database));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_prefix_of_the_connection_stands_before_table_and_ledger(TestDatabase $kind): void
    {
        $database = $this->database($kind, ['prefix' => 'app_']);
        $this->registered($database->sink('events'))->deliver($this->events('a'));

        self::assertSame(['a'], $this->names($database));
        self::assertSame([], $database->sink('events')->inspect());
        self::assertEquals(1, $database->connection()->scalar('select count(*) from app_events'));
        self::assertEquals(1, $database->connection()->scalar('select delivered from app_spool_ledger'));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function a_table_may_lie_in_another_schema_than_the_ledger(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $this->registered($database->sink("{$database->name}.events"))->deliver($this->events('a'));
        self::assertSame(['a'], $this->names($database));

        $schema = "{$database->name}_2";
        $database->connection()->statement("create schema {$schema}");

        try {
            $database->connection()->statement("create table {$schema}.events (name varchar(20), number integer)");
            $sink = $database->sink("{$schema}.events");
            $sink->deliver($this->events('b'));

            self::assertSame([], $sink->inspect());
            self::assertSame('b', $database->connection()->scalar("select name from {$schema}.events"));
            self::assertSame(['a'], $this->names($database));
            self::assertSame(2, $this->delivered($database));
        } finally {
            $database->connection()
                ->statement($kind->isOfMysql() ? "drop database {$schema}" : "drop schema {$schema} cascade");
        }
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function odd_names_are_quoted(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $columns = [
            'select', 'two words', 'qu"ote', "apo'strophe", 'back`tick', 'what?', 'co:lon', 'Grüße', 'per%cent',
            'semi;colon -- x',
        ];
        $database->connection()
            ->getSchemaBuilder()
            ->create('odd "table`s; name?', static function (Blueprint $table) use ($columns): void {
                $table->id('row');
                array_map(static fn (string $column) => $table->string($column)->nullable(), $columns);
            });
        $row = array_combine($columns, $columns);
        $this->registered($database->sink('odd "table`s; name?'))
            ->deliver($this->log->delivery([$row, ['select' => 'only']]));

        self::assertSame(
            [$row, [...array_fill_keys($columns, null), 'select' => 'only']],
            $database->rows('odd "table`s; name?'),
        );
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_row_of_more_columns_than_a_table_can_have_makes_no_statement(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $reasons = [];

        // The server is asked about the first, and knows no such column.
        foreach ([900, 4_097] as $count) {
            $this->log = ContractLog::of("of {$count}");
            $sink = $this->registered($database->sink('events'));
            $names = array_map(static fn (int $n): string => "c{$n}", range(1, $count));
            $failure = $this->failureOf($sink, $this->log->delivery([array_fill_keys($names, 1)]));
            self::assertInstanceOf(InvalidRecords::class, $failure);
            $reasons[] = $failure->getMessage();
        }

        self::assertStringNotContainsString('more columns', $reasons[0]);
        Sentence::assertIn(RowsRefused::tooLarge('events', new Position(1, 0, 0)), $reasons[1]);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'mysqlFamily')]
    public function a_batch_above_the_largest_packet_goes_in_parts_and_ends_no_session(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $before = $database->other()->scalar('select @@global.max_allowed_packet');
        self::assertIsNumeric($before);
        $database->connection()->statement('alter table events add column body longtext');
        $database->other()->statement('set global max_allowed_packet = 1048576');

        try {
            $database->addConnection('narrow', []);
            $database->addConnection('emulated', ['options' => [PDO::ATTR_EMULATE_PREPARES => true]]);

            foreach (['narrow', 'emulated'] as $connection) {
                $this->log = ContractLog::of($connection);
                $sink = $this->registered($database->sink('events', connection: $connection));
                $session = $database->capsule->getConnection($connection)->scalar('select connection_id()');
                $rows = array_map(
                    static fn (int $n): array => ['name' => "{$connection} {$n}", 'body' => str_repeat("'", 100_000)],
                    range(1, 40),
                );
                $sink->deliver($this->log->delivery($rows));
                $failure = $this->failureOf(
                    $sink,
                    $this->log->delivery([['name' => 'large', 'body' => str_repeat('x', 2_000_000)]]),
                );

                self::assertInstanceOf(InvalidRecords::class, $failure);
                self::assertSame(
                    $session,
                    $database->capsule->getConnection($connection)->scalar('select connection_id()'),
                    'The session is the same.',
                );
            }
        } finally {
            $database->other()->statement("set global max_allowed_packet = {$before}");
        }

        self::assertCount(80, $this->names($database));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function an_event_of_more_names_than_a_statement_takes_is_refused(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $sink = $this->registered($database->sink('events'));
        $row = ['name' => 'wide']
            + array_fill_keys(array_map(static fn (int $n): string => "c{$n}", range(1, 66_000)), 1);

        self::assertInstanceOf(InvalidRecords::class, $this->failureOf($sink, $this->log->delivery([$row])));
    }

    #[Test]
    public function through_a_pooler_that_wants_emulated_prepares_values_arrive_on_postgresql(): void
    {
        $database = $this->database(TestDatabase::PostgreSql, ['options' => [PDO::ATTR_EMULATE_PREPARES => true]]);
        $database->connection()->getSchemaBuilder()->create('kinds', static function (Blueprint $table): void {
            $table->id('row');
            $table->boolean('flag')->nullable();
            $table->integer('number')->nullable();
            $table->text('text')->nullable();
            $table->jsonb('json')->nullable();
            $table->double('real')->nullable();
            $table->binary('bytes')->nullable();
        });
        $sink = $this->registered($database->sink('kinds'));
        $sink->deliver($this->log->delivery([
            [
                'flag' => true,
                'number' => 1,
                'text' => 'a',
                'json' => '{"a": 1}',
                'real' => 1.5,
                'bytes' => new Bytes("\0\xFF"),
            ],
            ['flag' => false, 'number' => true, 'text' => 7, 'json' => '5', 'real' => 2, 'bytes' => null],
            ['flag' => 1, 'number' => null, 'text' => null, 'json' => null, 'real' => null, 'bytes' => null],
        ]));

        $rows = $database->rows('kinds');
        self::assertSame([true, false, true], array_column($rows, 'flag'));
        self::assertSame([1, 1, null], array_column($rows, 'number'));
        self::assertSame(['a', '7', null], array_column($rows, 'text'));
        self::assertSame(['{"a": 1}', '5', null], array_column($rows, 'json'));
        self::assertEquals([1.5, 2, null], array_column($rows, 'real'));
        self::assertSame(["\0\xFF", null, null], array_column($rows, 'bytes'));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function columns_of_bytes_are_told_from_columns_of_text(TestDatabase $kind): void
    {
        $database = $this->database($kind, ['prefix' => 'my_']);
        $database->connection()->getSchemaBuilder()->create('files', static function (Blueprint $table): void {
            $table->id();
            $table->binary('bytes');
            $table->text('text');
            $table->string('name')->nullable();
            $table->timestamp('at')->nullable();
        });
        $sink = $database->sink('files');

        self::assertSame(
            ['id' => false, 'bytes' => true, 'text' => false, 'name' => false, 'at' => false, 'none' => false],
            array_map(
                $sink->holdsBytes(...),
                ['id' => 'id', 'bytes' => 'bytes', 'text' => 'text', 'name' => 'name', 'at' => 'at', 'none' => 'none'],
            ),
        );
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_probe_leaves_no_row_and_moves_no_ledger(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $sink = $this->registered($database->sink('events'));
        $sink->deliver($this->events('there'));
        $ledger = $database->connection()->table('spool_ledger')->first(['position', 'delivered', 'dead']);
        $sink->probe($this->events('new'));
        // Under another key.
        $sink->probe($this->events('there'));

        self::assertSame(['there'], $this->names($database));
        $database->connection()->getSchemaBuilder()->drop('events');

        try {
            $sink->probe($this->events('new'));
            self::fail('The table is gone.');
        } catch (UnableToDeliver $e) {
            self::assertNotInstanceOf(Retryable::class, $e);
        }

        self::assertEquals(
            $ledger,
            $database->connection()->table('spool_ledger')->first(['position', 'delivered', 'dead']),
        );
    }

    private function strangeTable(FreshDatabase $database): void
    {
        $quote = $database->kind->isOfMysql() ? '`' : '"';
        $columns = array_map(
            static fn (string $name): string => $quote.str_replace($quote, $quote.$quote, $name)."{$quote} varchar(40)",
            self::NAMES,
        );
        $database->connection()->getPdo()
            ->exec('create table strange (id int primary key, '.implode(', ', $columns).')');
    }

    /** @return list<array<mixed>> */
    private function rowsOf(FreshDatabase $database): array
    {
        return array_map(
            static fn (mixed $row): array => (array) $row,
            array_values($database->connection()->select('select * from strange')),
        );
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\Permanent;
use Headroom\Sink\InvalidRecords;
use Headroom\Tests\Contract\Support\DatabaseTestCase;
use Headroom\Tests\Contract\Support\FreshDatabase;
use Headroom\Tests\Contract\Support\TestDatabase;
use Illuminate\Database\Schema\Blueprint;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;

/**
 * Upsert and aggregate stand on a unique index: without it MySQL would add a row for each event and say nothing.
 */
final class DatabaseSinkIndexTest extends DatabaseTestCase
{
    private const OPTIONS = [
        'table' => 'counts',
        'mode' => 'aggregate',
        'unique' => ['name', 'hour'],
        'sum' => ['calls'],
    ];

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_missing_index_is_told_and_refused_with_the_line_that_makes_it(TestDatabase $kind): void
    {
        $database = $this->withTable($kind);
        $sink = $this->registered($database->sink('events'));
        $delivery = $this->log->delivery([['name' => 'a', 'hour' => 1], ['name' => 'a', 'hour' => 1]]);
        $problems = $database->configured(self::OPTIONS)->inspect();

        self::assertCount(1, $problems);
        self::assertTrue($problems[0]->fatal);
        self::assertMatchesRegularExpression(
            '/\A(?=.*\bcounts\b)(?=.*\bname, hour\b)(?=.*\baggregate\b)/',
            $problems[0]->message,
        );
        self::assertStringContainsString(
            "Schema::table('counts', fn (Blueprint \$table) => \$table->unique(['name', 'hour']))",
            $problems[0]->fix,
        );

        $failure = $this->failureOf($database->configured(self::OPTIONS), $delivery);
        self::assertInstanceOf(Permanent::class, $failure);
        self::assertNotInstanceOf(InvalidRecords::class, $failure, 'No event is to blame.');
        self::assertStringContainsString("unique(['name', 'hour'])", $failure->getMessage());
        self::assertSame(0, $database->connection()->table('counts')->count());

        $database->connection()
            ->getSchemaBuilder()
            ->table('counts', static fn (Blueprint $table) => $table->unique(['hour', 'name']));
        self::assertSame([], $database->configured(self::OPTIONS)->inspect());
        $database->configured(self::OPTIONS)->deliver($delivery);
        self::assertEquals(2, $database->connection()->table('counts')->value('calls'));
    }

    #[Test]
    #[DataProvider('unfit')]
    public function an_index_that_does_not_cover_every_row_is_not_enough(TestDatabase $kind, string $sql): void
    {
        $database = $this->withTable($kind);
        $database->connection()->statement($sql);

        $problems = $database->configured(self::OPTIONS)->inspect();
        self::assertTrue($problems[0]->fatal ?? false);
        self::assertStringContainsString("\$table->unique(['name', 'hour'])", $problems[0]->fix ?? '');
    }

    /** @return iterable<string, array{TestDatabase, string}> */
    public static function unfit(): iterable
    {
        foreach (TestDatabase::cases() as $kind) {
            yield "{$kind->name}, not unique" => [$kind, 'create index i on counts (name, hour)'];
            yield "{$kind->name}, fewer columns" => [$kind, 'create unique index i on counts (name)'];
            yield "{$kind->name}, more columns" => [$kind, 'create unique index i on counts (name, hour, calls)'];
        }

        foreach ([TestDatabase::Sqlite, TestDatabase::PostgreSql] as $kind) {
            yield "{$kind->name}, partial" => [$kind, 'create unique index i on counts (name, hour) where hour > 5'];
            yield "{$kind->name}, computed" => [$kind, 'create unique index i on counts (name, abs(hour))'];
        }

        foreach ([TestDatabase::MariaDb, TestDatabase::MySql] as $kind) {
            yield "{$kind->name}, the beginning of a column" => [
                $kind, 'create unique index i on counts (name(3), hour)',
            ];
        }

        yield 'MySql, computed' => [TestDatabase::MySql, 'create unique index i on counts (name, (abs(hour)))'];
        yield 'PostgreSql, checked later' => [
            TestDatabase::PostgreSql, 'alter table counts add constraint i unique (name, hour) deferrable',
        ];
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_primary_key_will_do_behind_a_prefix_and_in_capitals(TestDatabase $kind): void
    {
        $database = $this->database($kind, ['prefix' => 'app_']);
        $database->connection()->getSchemaBuilder()->create('rows', static function (Blueprint $table): void {
            $table->id();
            $table->integer('calls')->nullable();
        });

        self::assertSame(
            [],
            $database->configured([...self::OPTIONS, 'table' => 'rows', 'unique' => ['ID']])->inspect(),
        );
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function the_index_is_looked_for_in_the_schema_that_the_table_is_named_with(TestDatabase $kind): void
    {
        $database = $this->withTable($kind);

        self::assertCount(
            1,
            $database->configured([...self::OPTIONS, 'table' => "{$database->name}.counts"])->inspect(),
        );
        $database->connection()->statement('create unique index i on counts (name, hour)');
        self::assertSame(
            [],
            $database->configured([...self::OPTIONS, 'table' => "{$database->name}.counts"])->inspect(),
        );
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'mysqlFamily')]
    public function another_unique_index_is_told_where_it_would_be_met_without_a_word(TestDatabase $kind): void
    {
        $database = $this->withTable($kind);
        $database->connection()->getSchemaBuilder()->table('counts', static function (Blueprint $table): void {
            $table->id();
            $table->unique(['name', 'hour']);
            $table->unique('label');
        });
        $problems = $database->configured(self::OPTIONS)->inspect();

        self::assertCount(1, $problems, 'A number that the database gives is never met.');
        self::assertFalse($problems[0]->fatal);
        self::assertMatchesRegularExpression('/\A(?=.*\bcounts\b)(?=.*\blabel\b)/', $problems[0]->message);
    }

    private function withTable(TestDatabase $kind): FreshDatabase
    {
        $database = $this->database($kind);
        $database->connection()->getSchemaBuilder()->create('counts', static function (Blueprint $table): void {
            $table->string('name', 40);
            $table->integer('hour');
            $table->bigInteger('calls');
            $table->string('label', 40)->nullable();
        });

        return $database;
    }
}

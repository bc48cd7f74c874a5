<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use DateTimeImmutable;
use DateTimeZone;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Sink\Database\DatabaseSink;
use Headroom\Sink\Database\RowsRefused;
use Headroom\Sink\Database\Upsert\UnableToMerge;
use Headroom\Sink\InvalidRecords;
use Headroom\Tests\Contract\Support\DatabaseTestCase;
use Headroom\Tests\Contract\Support\FreshDatabase;
use Headroom\Tests\Contract\Support\TestDatabase;
use Illuminate\Database\Schema\Blueprint;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;

/**
 * However events are cut into batches, the table holds what it would hold had each been written by itself.
 */
final class DatabaseSinkUpsertTest extends DatabaseTestCase
{
    private FreshDatabase $at;

    /** @var array<string, mixed> */
    private array $options = [];

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function the_last_of_the_same_key_wins_within_a_batch_and_over_batches(TestDatabase $kind): void
    {
        $this->begin($kind);
        $this->upsert([['id' => 1, 'name' => 'a'], ['id' => 2, 'name' => 'b'], ['id' => 1, 'name' => 'c']]);
        self::assertSame([[1, 'c'], [2, 'b']], $this->profiles('id', 'name'));
        $this->upsert([['id' => 3, 'name' => 'd'], ['id' => 2, 'name' => 'e']]);
        self::assertSame([[1, 'c'], [2, 'e'], [3, 'd']], $this->profiles('id', 'name'));
        self::assertSame(5, $this->delivered($this->at));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_batch_leaves_what_its_events_one_by_one_would_have_left(TestDatabase $kind): void
    {
        $events = [
            ['id' => 1, 'name' => 'one'],
            ['id' => 1, 'seen_at' => '2025-03-01 12:00:00'],
            ['id' => 2, 'visits' => 7, 'name' => 'two'],
            ['id' => 1, 'visits' => 5],
            ['id' => 2, 'name' => null],
            ['visits' => 9, 'id' => 2],
            ['id' => 3],
            ['id' => 3, 'name' => 'three'],
            ['id' => 3],
        ];

        foreach ([[], ['update' => ['visits', 'seen_at']], ['update' => []]] as $options) {
            $this->setUp();
            $this->begin($kind, $options);
            $this->upsert($events);
            $together = $this->profiles('id', 'name', 'seen_at', 'visits');
            $this->at->connection()->table('profiles')->delete();

            foreach ($events as $event) {
                $this->upsert([$event]);
            }

            self::assertSame($this->profiles('id', 'name', 'seen_at', 'visits'), $together);
            self::assertCount(3, $together);
            $this->tearDown();
        }
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function an_older_row_never_overwrites_a_newer_one(TestDatabase $kind): void
    {
        $this->begin($kind, ['newer' => 'seen_at']);
        $at = static fn (string $time): string => "2025-03-01 {$time}";
        $this->upsert([
            ['id' => 1, 'name' => 'new', 'seen_at' => $at('12:00:00')],
            ['id' => 1, 'name' => 'old', 'seen_at' => $at('11:00:00')],
            ['id' => 2, 'name' => 'old', 'seen_at' => $at('11:00:00')],
            ['id' => 2, 'name' => 'new', 'seen_at' => $at('12:00:00')],
        ]);
        self::assertSame(
            [[1, 'new', $at('12:00:00')], [2, 'new', $at('12:00:00')]],
            $this->profiles('id', 'name', 'seen_at'),
        );

        $this->upsert([
            ['id' => 1, 'name' => 'late', 'seen_at' => $at('11:30:00')],
            ['id' => 2, 'name' => 'same time', 'seen_at' => $at('12:00:00')],
        ]);
        self::assertSame(
            [[1, 'new', $at('12:00:00')], [2, 'same time', $at('12:00:00')]],
            $this->profiles('id', 'name', 'seen_at'),
        );

        // Nothing there to compare with.
        $this->at->connection()->table('profiles')->where('id', 1)->update(['seen_at' => null]);
        $this->upsert([['id' => 1, 'name' => 'late', 'seen_at' => $at('11:30:00')]]);
        self::assertSame([1, 'late', $at('11:30:00')], $this->profiles('id', 'name', 'seen_at')[0]);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_stored_value_between_two_events_of_a_batch_divides_them(TestDatabase $kind): void
    {
        $this->begin($kind, ['newer' => 'visits']);
        $this->upsert([['id' => 1, 'name' => 'stored', 'visits' => 5]]);
        // Only the second is newer than what is there, and it says nothing of the name.
        $this->upsert([
            ['id' => 1, 'name' => 'too old', 'visits' => 4],
            ['id' => 1, 'seen_at' => '2025-03-01 12:00:00', 'visits' => 6],
        ]);

        self::assertSame([[1, 'stored', '2025-03-01 12:00:00', 6]], $this->profiles('id', 'name', 'seen_at', 'visits'));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function the_database_compares_values_that_only_the_column_can_compare(TestDatabase $kind): void
    {
        $this->begin($kind, ['newer' => 'visits']);
        // As words 9 is above 10.
        $this->upsert([
            ['id' => 1, 'name' => 'nine', 'visits' => '9'],
            ['id' => 1, 'name' => 'ten', 'visits' => '10'],
            ['id' => 1, 'name' => 'eight', 'visits' => '8'],
        ]);

        self::assertSame([[1, 'ten', 10]], $this->profiles('id', 'name', 'visits'));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function dates_compare_as_they_are_stored(TestDatabase $kind): void
    {
        $this->begin($kind, ['newer' => 'seen_at']);
        $tokyo = new DateTimeImmutable('2025-03-01 12:00:00', new DateTimeZone('Asia/Tokyo'));
        $utc = new DateTimeImmutable('2025-03-01 11:00:00', new DateTimeZone('UTC'));
        $fraction = new DateTimeImmutable('2025-03-01 12:00:00.9', new DateTimeZone('UTC'));
        $this->upsert([
            ['id' => 1, 'name' => 'tokyo', 'seen_at' => $tokyo],
            ['id' => 1, 'name' => 'utc', 'seen_at' => $utc],
        ]);
        $this->upsert([
            ['id' => 2, 'name' => 'a', 'seen_at' => $fraction],
            ['id' => 2, 'name' => 'b', 'seen_at' => $tokyo],
        ]);

        self::assertSame(
            [[1, 'tokyo', '2025-03-01 12:00:00'], [2, 'b', '2025-03-01 12:00:00']],
            $this->profiles('id', 'name', 'seen_at'),
        );
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function an_event_that_cannot_be_merged_is_refused_with_its_place_and_column(TestDatabase $kind): void
    {
        $this->begin($kind, ['newer' => 'seen_at']);

        foreach ([
            [['id' => null, 'name' => 'secret', 'seen_at' => '2025-03-01'], 'id', 'unique'],
            [['name' => 'secret', 'seen_at' => '2025-03-01'], 'id', 'unique'],
            [['id' => 5, 'name' => 'secret'], 'seen_at', 'newer'],
        ] as [$bad, $column, $option]) {
            $delivery = $this->log->delivery([['id' => 1, 'name' => 'fine', 'seen_at' => '2025-03-01'], $bad]);
            $failure = $this->failureOf($this->registered($this->sink()), $delivery);

            self::assertInstanceOf(InvalidRecords::class, $failure);
            $why = UnableToMerge::missing($column, $option)->getMessage();
            self::assertEquals(
                RowsRefused::unmergeable('profiles', $delivery->batch->record(1)->position, $why),
                $failure,
            );
            self::assertStringNotContainsString('secret', $failure->getMessage());
            self::assertSame(0, $this->delivered($this->at));
            $this->setUp();
        }

        self::assertSame([], $this->profiles('id'));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function keys_of_several_columns_and_odd_names_are_told_apart(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $names = ['se"lect', 'two words', 'back`tick'];
        $database->connection()
            ->getSchemaBuilder()
            ->create('odd "table`s', static function (Blueprint $table) use ($names): void {
                $table->string($names[0]);
                $table->string($names[1]);
                $table->string($names[2]);
                $table->unique([$names[1], $names[0]], 'odd_unique');
            });
        $sink = $this->registered($database->configured([
            'table' => 'odd "table`s',
            'mode' => 'upsert',
            'unique' => [$names[0], $names[1]],
        ]));
        $row = static fn (string $a, string $b, string $c): array
            => [$names[0] => $a, $names[1] => $b, $names[2] => $c];
        $sink->deliver($this->log->delivery([$row('a', 'bc', '1'), $row('ab', 'c', '2'), $row('a', 'bc', '3')]));
        self::assertSame([], $sink->inspect());

        self::assertEquals(
            [(object) $row('a', 'bc', '3'), (object) $row('ab', 'c', '2')],
            $database->connection()->table('odd "table`s')->orderBy($names[0])->get()->all(),
        );
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function keys_that_only_the_database_finds_equal_are_merged_in_log_order(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $database->connection()->statement(match ($kind) {
            TestDatabase::Sqlite => 'create table words (word varchar(20) collate nocase primary key, number integer)',
            TestDatabase::MariaDb, TestDatabase::MySql =>
                'create table words (word varchar(20) collate utf8mb4_general_ci primary key, number integer)',
            TestDatabase::PostgreSql => 'create table words (word numeric primary key, number integer)',
        });
        $words = $kind === TestDatabase::PostgreSql ? ['7', '8', '7.0', '9'] : ['word', 'x', 'WORD', 'a'];
        $sink = $this->registered($database->configured([
            'table' => 'words',
            'mode' => 'upsert',
            'unique' => ['word'],
        ]));

        for ($round = 0; $round < 2; $round++) {
            $sink->deliver($this->log->delivery(array_map(
                static fn (string $word, int $number): array => ['word' => $word, 'number' => $number],
                $words,
                range(1, 4),
            )));
            self::assertSame(
                [2, 3, 4],
                $database->connection()->table('words')->orderBy('number')->pluck('number')->all(),
            );
        }

        self::assertSame(8, $sink->progress($this->log->source)?->delivered);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function of_keys_that_only_the_database_finds_equal_the_last_wins(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $database->connection()->statement(match ($kind) {
            TestDatabase::Sqlite => 'create table words (word varchar(20) collate nocase primary key, number integer)',
            TestDatabase::MariaDb, TestDatabase::MySql =>
                'create table words (word varchar(20) collate utf8mb4_general_ci primary key, number integer)',
            TestDatabase::PostgreSql => 'create table words (word numeric primary key, number integer)',
        });
        $orders = match ($kind) {
            TestDatabase::Sqlite => [['Word', 'word', 'Word'], ['word', 'WORD', 'word', 'WORD']],
            TestDatabase::MariaDb, TestDatabase::MySql => [['Word', 'word', 'Word'], ['é', 'É', 'é ', 'É']],
            TestDatabase::PostgreSql => [['7.0', '7', '7.0'], ['7.00', '7.0', '7']],
        };
        $sink = $this->registered($database->configured([
            'table' => 'words',
            'mode' => 'upsert',
            'unique' => ['word'],
        ]));

        foreach ($orders as $words) {
            $database->connection()->table('words')->delete();
            $sink->deliver($this->log->delivery(array_map(
                static fn (string $word, int $number): array => ['word' => $word, 'number' => $number],
                $words,
                range(1, count($words)),
            )));
            self::assertSame([count($words)], $database->connection()->table('words')->pluck('number')->all());
        }
    }

    /** It tells of such keys only where they are in one statement. */
    #[Test]
    public function on_postgresql_the_last_in_the_log_wins_in_a_batch_of_any_size(): void
    {
        $database = $this->database(TestDatabase::PostgreSql);
        $database->connection()->statement('create table words (word numeric primary key, number integer)');
        $sink = $this->registered($database->configured([
            'table' => 'words',
            'mode' => 'upsert',
            'unique' => ['word'],
        ]));

        foreach ([['1'], ['1', '2'], ['7', '1', '07']] as $words) {
            $sink->deliver($this->log->delivery(array_map(
                static fn (string $word, int $number): array => ['word' => $word, 'number' => $number],
                $words,
                range(1, count($words)),
            )));
        }

        self::assertSame(3, $database->connection()->table('words')->where('word', 7)->value('number'));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function rows_are_written_in_the_order_of_their_keys_and_not_of_the_log(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $this->registered($database->configured(['table' => 'events', 'mode' => 'upsert', 'unique' => ['name']]))
            ->deliver($this->events('d', 'B', 'c', 'a', 'É', 'B', '10', '9'));

        self::assertSame(['10', '9', 'a', 'B', 'c', 'd', 'É'], $this->names($database));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function values_of_every_type_overwrite_as_they_insert(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $database->connection()->getSchemaBuilder()->create('typed', static function (Blueprint $table): void {
            $table->id('row');
            $table->string('key')->unique();
            $table->text('text')->nullable();
            $table->json('json')->nullable();
            $table->bigInteger('big')->nullable();
            $table->boolean('flag')->nullable();
            $table->double('ratio')->nullable();
            $table->decimal('price', 12, 4)->nullable();
            $table->dateTime('at')->nullable();
            $table->binary('raw')->nullable();
        });
        $values = [
            'text' => "Grüße 🚀 '\"\\",
            'json' => new Json('{"a":[1,null]}'),
            'big' => PHP_INT_MAX,
            'flag' => true,
            'ratio' => 0.1,
            'price' => '12345.678',
            'at' => new DateTimeImmutable('2025-03-01 12:00:00.5 UTC'),
            'raw' => new Bytes("\xFF\\x41\0"),
        ];
        $sink = $this->registered($database->configured(['table' => 'typed', 'mode' => 'upsert', 'unique' => ['key']]));
        $sink->deliver($this->log->delivery([
            ['key' => 'inserted', ...$values],
            ['key' => 'updated', ...array_fill_keys(array_keys($values), null)],
        ]));
        $sink->deliver($this->log->delivery([['key' => 'updated', ...$values]]));
        [
            $inserted, $updated,
        ] = array_map(static fn (array $row): array => array_diff_key($row, ['key' => 1]), $database->rows('typed'));

        self::assertSame($inserted, $updated);
        self::assertSame(
            [PHP_INT_MAX, "\xFF\\x41\0", "Grüße 🚀 '\"\\"],
            [$updated['big'], $updated['raw'], $updated['text']],
        );
    }

    /** @param array<string, mixed> $options */
    private function begin(TestDatabase $kind, array $options = []): void
    {
        $this->at = $this->database($kind);
        $this->options = $options;
        $this->at->connection()->getSchemaBuilder()->create('profiles', static function (Blueprint $table): void {
            $table->bigInteger('id')->primary();
            $table->string('name')->nullable()->default('nobody');
            $table->dateTime('seen_at')->nullable();
            $table->integer('visits')->nullable();
        });
    }

    private function sink(): DatabaseSink
    {
        $options = ['table' => 'profiles', 'mode' => 'upsert', 'unique' => ['id'], ...$this->options];

        return $this->at->configured($options);
    }

    /** @param non-empty-list<non-empty-array<string, scalar|null|DateTimeImmutable>> $rows */
    private function upsert(array $rows): void
    {
        $this->registered($this->sink())->deliver($this->log->delivery($rows));
    }

    /** @return list<list<mixed>> */
    private function profiles(string ...$columns): array
    {
        return array_map(
            static fn (object $row): array => array_values(get_object_vars($row)),
            array_values($this->at->connection()->table('profiles')->orderBy('id')->get($columns)->all()),
        );
    }
}

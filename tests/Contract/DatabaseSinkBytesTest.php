<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\Permanent;
use Headroom\Sink\UnableToDeliver;
use Headroom\Spool\Utf8;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Contract\Support\FreshDatabase;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Contract\Support\ValuesTestCase;
use Illuminate\Database\Schema\Blueprint;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;

/**
 * Bytes arrive byte for byte, or are refused with their column.
 */
final class DatabaseSinkBytesTest extends ValuesTestCase
{
    #[Test]
    public function bytes_and_none_follow_each_other_in_a_statement_that_is_kept(): void
    {
        $database = $this->tables(TestDatabase::PostgreSql, 'binary');
        $log = ContractLog::of('values');
        $sink = $database->sink('buffered');
        $sink->register($log->source);
        $sent = ["\xFF\\x41\0", null, "\xFE", 'text', null, "\0"];

        foreach ($sent as $value) {
            $sink->deliver($log->delivery($this->travelled([['value' => $value]], Utf8::Binary)));
        }

        self::assertSame(
            array_map(static fn (?string $value): string => $value === null ? 'null' : bin2hex($value), $sent),
            $this->hexOf($database->rows('buffered')),
        );
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function bytes_of_a_binary_bucket_arrive_byte_for_byte(TestDatabase $kind): void
    {
        $database = $this->tables($kind, 'binary');
        $sent = [
            implode('', array_map(chr(...), range(0, 255))),
            "caf\xE9",
            "NUL \0 and \0\0",
            'of UTF-8 only, but \\x41 \\101 \\\\ read as an escape',
            '\\x414243',
            'plain',
            '',
        ];
        $this->buffer(
            $database,
            array_map(static fn (string $value): array => ['value' => $value], $sent),
            Utf8::Binary,
        );

        self::assertSame(array_map(bin2hex(...), $sent), $this->hexOf($database->rows('buffered')));
    }

    #[Test]
    public function bytes_find_their_column_behind_a_prefix_and_in_another_schema_of_postgresql(): void
    {
        $database = FreshDatabase::create(TestDatabase::PostgreSql, ['prefix' => 'app_']);
        $this->database = $database;
        $database->connection()
            ->unprepared('create domain raw as bytea; create table app_buffered ("row" serial, value raw)');
        $this->buffer($database, [['value' => "\xFF\\x41\0"]], Utf8::Binary);
        $this->buffer($database, [['value' => "\xFE\\x41\0"]], Utf8::Binary, "{$database->name}.buffered");

        self::assertSame(['ff5c78343100', 'fe5c78343100'], $this->hexOf($database->rows('buffered')));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function other_columns_of_a_binary_bucket_take_their_values_as_ever(TestDatabase $kind): void
    {
        $database = FreshDatabase::create($kind);
        $this->database = $database;
        $database->connection()->getSchemaBuilder()->create('buffered', static function (Blueprint $table): void {
            $table->id('row');
            $table->binary('raw');
            $table->string('text');
            $table->dateTime('at');
            $table->json('data');
            $table->integer('number');
        });
        $this->buffer(
            $database,
            [[
                'raw' => "\xFF\\",
                'text' => 'C:\\new \\x41',
                'at' => '2025-03-01 12:00:00',
                'data' => ['a' => 1],
                'number' => 5,
            ]],
            Utf8::Binary,
        );

        [$row] = $database->rows('buffered');
        self::assertSame(
            [
                "\xFF\\",
                'C:\\new \\x41',
                '2025-03-01 12:00:00',
                $kind === TestDatabase::MySql ? '{"a": 1}' : '{"a":1}',
                5,
            ],
            array_values($row),
        );
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function text_with_a_nul_arrives_whole_or_is_refused_with_its_column(TestDatabase $kind): void
    {
        $database = $this->tables($kind, 'string');
        $database->connection()->table('direct')->insert(['value' => "a\0b"]);

        if ($kind !== TestDatabase::PostgreSql) {
            $this->buffer($database, [['value' => "a\0b"]]);
            self::assertSame([['value' => "a\0b"]], $database->rows('direct'));
            self::assertSame([['value' => "a\0b"]], $database->rows('buffered'));

            return;
        }

        self::assertSame(
            [['value' => 'a']],
            $database->rows('direct'),
            'If the driver no longer cuts text, the refusal can go.',
        );

        foreach ([Utf8::Replace, Utf8::Binary] as $utf8) {
            $failure = $this->failureOf(
                $database,
                ContractLog::of('values'),
                [['value' => 'fine'], ['value' => "secret\0b"]],
                $utf8,
            );
            self::assertInstanceOf(Permanent::class, $failure);
            self::assertMatchesRegularExpression(
                '/\A(?=.*\bvalue\b)(?=.*\bbuffered\b)(?=.*\bbytea\b)/',
                $failure->getMessage(),
            );
            self::assertStringNotContainsString('secret', $failure->getMessage());
        }

        self::assertSame([], $database->rows('buffered'));
        $this->buffer($database, [['value' => 'next']]);
        self::assertSame([['value' => 'next']], $database->rows('buffered'));
    }

    #[Test]
    public function bytes_that_are_no_text_are_refused_by_a_text_column_of_postgresql(): void
    {
        $database = $this->tables(TestDatabase::PostgreSql, 'string');
        $failure = $this->failureOf($database, ContractLog::of('values'), [['value' => "caf\xE9"]], Utf8::Binary);

        self::assertInstanceOf(Permanent::class, $failure);
        self::assertStringContainsString('22021', $failure->getMessage());
        self::assertSame([], $database->rows('buffered'));
    }

    /** @param non-empty-list<array<string, mixed>> $rows */
    private function failureOf(FreshDatabase $database, ContractLog $log, array $rows, Utf8 $utf8): UnableToDeliver
    {
        $sink = $database->sink('buffered');
        $delivery = $log->delivery($this->travelled($rows, $utf8));
        $sink->register($log->source);

        try {
            $sink->deliver($delivery);
        } catch (UnableToDeliver $failure) {
            return $failure;
        }

        self::fail('The rows were taken.');
    }

    /**
     * @param list<array<string, mixed>> $rows
     * @return list<string> hex digits, because raw bytes in a failure message would spoil the terminal
     */
    private function hexOf(array $rows): array
    {
        return array_map(
            static fn (array $row): string
                => is_string($row['value']) ? bin2hex($row['value']) : get_debug_type($row['value']),
            $rows,
        );
    }
}

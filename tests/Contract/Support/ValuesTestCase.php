<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use DateTimeImmutable;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Utf8;
use Headroom\Testing\ContractLog;
use Illuminate\Database\Schema\Blueprint;
use PHPUnit\Framework\TestCase;

/**
 * A table for rows through the buffer, and one like it for rows of a synchronous insert.
 */
abstract class ValuesTestCase extends TestCase
{
    protected ?FreshDatabase $database = null;

    protected function tearDown(): void
    {
        $this->database?->drop();
        $this->database = null;
    }

    protected function tables(TestDatabase $kind, string $type): FreshDatabase
    {
        $database = FreshDatabase::create($kind);
        $this->database = $database;

        foreach (['direct', 'buffered'] as $name) {
            if ($type === 'none') {
                $database->connection()->statement("create table {$name} (\"row\" integer primary key, value)");

                continue;
            }

            $database->connection()
                ->getSchemaBuilder()
                ->create($name, static function (Blueprint $table) use ($type): void {
                    $table->id('row');
                    (match ($type) {
                        'decimal' => $table->decimal('value', 12, 4),
                        'precise' => $table->dateTime('value', 6),
                        default => $table->addColumn($type, 'value', $type === 'string' ? ['length' => 255] : []),
                    })->nullable();
                });
        }

        return $database;
    }

    /** @param non-empty-list<array<string, mixed>> $rows */
    protected function buffer(
        FreshDatabase $database,
        array $rows,
        Utf8 $utf8 = Utf8::Replace,
        string $table = 'buffered',
    ): void {
        $log = ContractLog::of('values');
        $sink = $database->sink($table);
        $sink->register($log->source);
        $sink->deliver($log->delivery($this->travelled($rows, $utf8)));

        self::assertSame(count($rows), $sink->progress($log->source)?->delivered);
    }

    /**
     * As they come out of a log.
     *
     * @param non-empty-list<array<string, mixed>> $rows
     * @return non-empty-list<non-empty-array<string, scalar|null|Json|Bytes|DateTimeImmutable>>
     */
    protected function travelled(array $rows, Utf8 $utf8): array
    {
        $codec = new Codec($utf8);

        return array_map(static fn (array $row): array => $codec->decode($codec->encode($row))[0], $rows);
    }
}

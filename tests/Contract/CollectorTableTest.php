<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Testing\ContractLog;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Guide;
use Headroom\Tests\Contract\Support\FreshDatabase;
use Headroom\Tests\Contract\Support\TestDatabase;
use Illuminate\Database\Schema\Builder;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The table of docs/collector.md, created as the page shows it.
 */
final class CollectorTableTest extends TestCase
{
    private const BUCKET = [
        'table' => 'events',
        'mode' => 'upsert',
        'unique' => ['source', 'id', 'key'],
        'update' => [],
    ];

    private ?FreshDatabase $database = null;

    protected function tearDown(): void
    {
        $this->database?->drop();
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function ids_that_differ_in_case_alone_are_two_events(TestDatabase $kind): void
    {
        self::assertEqualsCanonicalizing(['A1', 'a1'], $this->stored($kind, 'A1', 'a1', 'A1'));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function the_longest_id_and_type_of_the_collector_fit(TestDatabase $kind): void
    {
        $id = str_repeat('i', 256);

        self::assertSame([$id], $this->stored($kind, $id));
    }

    /** @return array<mixed> ids in the table */
    private function stored(TestDatabase $kind, string $id, string ...$ids): array
    {
        $this->database = $database = FreshDatabase::create($kind);
        $this->createTable($database->connection()->getSchemaBuilder());
        $log = ContractLog::of('events');
        $sink = $database->configured(self::BUCKET);
        $sink->register($log->source);
        $sink->deliver($log->delivery(array_map(self::event(...), [$id, ...array_values($ids)])));

        return $database->connection()->table('events')->pluck('id')->all();
    }

    private function createTable(Builder $schema): void
    {
        $table = str_replace('Schema::', '$schema->', (new Guide)->examples('Where events go', 'php')[2]);
        $file = (string) tempnam(sys_get_temp_dir(), 'headroom-table-');

        try {
            file_put_contents($file, "<?php\n\n{$table}");

            require $file;
        } finally {
            unlink($file);
        }

        self::assertTrue($schema->hasTable('events'));
    }

    /** @return non-empty-array<string, string> */
    private static function event(string $id): array
    {
        return [
            'source' => 'shop',
            'id' => $id,
            'type' => str_repeat('t', strlen($id)),
            'time' => '2026-03-14 09:41:07',
            'received_at' => '2026-03-14 09:41:08',
            'key' => 'shop',
        ];
    }
}

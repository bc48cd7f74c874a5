<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\Store\State\RetryState;
use PHPUnit\Framework\TestCase;

/**
 * Gives each test a world of its own and leaves no process behind.
 */
abstract class FaultTestCase extends TestCase
{
    protected World $world;

    /** @var list<Child> */
    private array $children = [];

    protected function setUp(): void
    {
        $this->world = World::create();
    }

    protected function tearDown(): void
    {
        foreach ($this->children as $child) {
            $child->kill();
        }

        $this->world->destroy();
    }

    /** Instead of the one on SQLite. */
    protected function useDatabase(Database $database): void
    {
        if ($database !== Database::Sqlite) {
            $server = World::create($database);
            $this->world->destroy();
            $this->world = $server;
        }
    }

    /**
     * @param list<string> $arguments
     * @param array<string, Act> $points
     */
    protected function child(string $action, array $arguments = [], array $points = [], ?World $world = null): Child
    {
        return $this->children[] = Child::start($world ?? $this->world, $action, $arguments, $points);
    }

    protected function flush(string $bucket = 'events'): FlushReport
    {
        $report = $this->world->flush($bucket);

        self::assertNull($report->failure, $report->failure?->getMessage() ?? '');
        self::assertFalse($report->busy, "Bucket '{$bucket}' was busy.");

        return $report;
    }

    /** @param list<string> $ids in any order */
    protected function assertDeliveredOnce(array $ids): void
    {
        $rows = $this->world->rows();
        sort($rows);
        sort($ids);

        self::assertSame($ids, $rows, 'What arrived is not what was accepted.');
        $this->assertAccounts(accepted: count($ids), delivered: count($ids), pending: 0);
    }

    protected function assertAccounts(
        int $accepted,
        int $delivered,
        int $pending,
        int $missing = 0,
        string $bucket = 'events',
    ): void {
        $status = $this->world->status($bucket);

        self::assertNull($status->error, $status->error ?? '');
        self::assertSame(
            ['accepted' => $accepted, 'delivered' => $delivered, 'pending' => $pending, 'missing' => $missing],
            [
                'accepted' => $status->events->accepted,
                'delivered' => $status->events->delivered,
                'pending' => $status->events->pending,
                'missing' => $status->events->missing,
            ],
        );
    }

    /** Returns the entry about failed flushes in the bucket's state file. */
    protected function trouble(string $bucket): ?RetryState
    {
        return (new StateFile($this->world->layout($bucket)->stateFile, new Permissions))->read()->flush->retry;
    }

    /** @param callable(): void $work */
    protected function whileHolding(string $id, callable $work): void
    {
        $buffer = $this->world->buffer();
        $buffer->keepSegmentsOpen();
        $this->world->append(["{$id}.1", "{$id}.2"], buffer: $buffer);
        $work();
        $buffer->closeSegments();
    }

    /** @return list<string> */
    protected function slots(): array
    {
        return $this->names($this->world->layout()->active);
    }

    /** @return list<string> */
    protected function names(string $directory): array
    {
        return (new DirectoryListing($directory))->names();
    }

    /** Whether a process has the file locked. */
    protected static function isLocked(string $path): bool
    {
        $file = fopen($path, 're');
        self::assertIsResource($file);
        $locked = ! flock($file, LOCK_EX | LOCK_NB);
        fclose($file);

        return $locked;
    }

    /** @return list<string> "prefix1" to "prefixN" */
    protected static function ids(string $prefix, int $count): array
    {
        return array_map(static fn (int $n): string => $prefix.$n, range(1, $count));
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Closure;
use Headroom\Laravel\Facades\Buffer;
use Headroom\Spool\InvalidEvent;
use Headroom\Spool\UnableToAppend;
use Headroom\Tests\Laravel\Support\OnWorkbench;
use Illuminate\Database\DatabaseManager;
use Illuminate\Foundation\Testing\DatabaseTransactionsManager;
use Illuminate\Support\Facades\DB;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;

final class AfterCommitTest extends TestCase
{
    private ?OnWorkbench $on = null;

    private int $seen = 0;

    protected function tearDown(): void
    {
        $this->on?->shut();
        $this->on = null;
    }

    #[Test]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function it_is_buffered_after_the_outermost_commit_and_forgotten_after_a_rollback(
        WorkbenchDatabase $database,
    ): void {
        $this->on($database);

        $this->add('no transaction');
        $this->assertBuffered('no transaction');

        DB::transaction(function (): void {
            $this->add('outer');
            DB::transaction(function (): void {
                $this->add('inner');
            });
            self::ended(fn () => DB::transaction(function (): void {
                $this->add('inner, rolled back');
                DB::transaction(fn () => $this->add('in one that was rolled back'));

                throw new RuntimeException('back');
            }));
            $this->assertBuffered();
        });
        // As Laravel has it with jobs: those of a savepoint come before those around it.
        $this->assertBuffered('inner', 'outer');

        self::ended(fn () => DB::transaction(function (): void {
            $this->add('rolled back');

            throw new RuntimeException('back');
        }));
        DB::beginTransaction();
        $this->add('rolled back by hand');
        DB::rollBack();
        $this->add('after all');
        $this->assertBuffered('after all');
    }

    #[Test]
    public function the_default_connection_is_meant_unless_another_is_named(): void
    {
        $this->on(WorkbenchDatabase::Sqlite);
        $other = DB::connection('other');

        $other->beginTransaction();
        $this->add('of the default one, where none is open');
        $this->add('of the other', 'other');
        $this->assertBuffered('of the default one, where none is open');
        DB::beginTransaction();
        $this->add('of the default one');
        DB::commit();
        $this->assertBuffered('of the default one');
        $other->commit();
        $this->assertBuffered('of the other');
    }

    #[Test]
    public function the_transaction_around_a_test_does_not_count(): void
    {
        $on = $this->on(WorkbenchDatabase::Sqlite);

        // As RefreshDatabase does it.
        $on->workbench->app->instance('db.transactions', $manager = new DatabaseTransactionsManager([null]));
        $connection = $on->workbench->app->make(DatabaseManager::class)->connection();
        $connection->setTransactionManager($manager);
        $connection->beginTransaction();

        $this->add('at once');
        $this->assertBuffered('at once');
        DB::transaction(function (): void {
            $this->add('committed');
            $this->assertBuffered();
        });
        $this->assertBuffered('committed');
        self::ended(fn () => DB::transaction(function (): void {
            $this->add('rolled back');

            throw new RuntimeException('back');
        }));
        $connection->rollBack();
        $this->assertBuffered();
    }

    #[Test]
    public function a_value_that_cannot_be_stored_is_refused_by_the_call(): void
    {
        $this->on(WorkbenchDatabase::Sqlite);
        DB::beginTransaction();

        try {
            Buffer::afterCommit()->bucket('events')->add(['n' => NAN]);
            self::fail('It was taken.');
        } catch (InvalidEvent $e) {
            self::assertSame('n', $e->path);
        } finally {
            DB::commit();
        }

        $this->assertBuffered();
    }

    #[Test]
    public function a_refused_event_throws_after_the_commit_and_loses_no_later_one(): void
    {
        $on = $this->on(WorkbenchDatabase::Sqlite, [
            'events' => ['sink' => 'file', 'path' => '/events', 'overflow' => 'throw'],
            'full' => ['sink' => 'file', 'path' => '/full', 'overflow' => 'throw', 'max_bytes' => 65_536],
        ]);
        self::fill('full');

        try {
            DB::transaction(static function (): void {
                DB::table('page_views_binary')->insert([
                    'seq' => 'x',
                    'ip' => 'x',
                    'time' => '2026-01-01 00:00:00',
                    'method' => 'GET',
                    'path' => '/',
                    'status' => 200,
                    'created_at' => '2026-01-01 00:00:00',
                ]);
                Buffer::afterCommit()->bucket('full')->add(['n' => str_repeat('y', 2_000)]);
                Buffer::afterCommit()->bucket('events')->add(['n' => 'behind']);
            });
            self::fail('It did not throw.');
        } catch (UnableToAppend $e) {
            self::assertStringContainsString('max_bytes', $e->getMessage());
        }

        self::assertSame(1, DB::table('page_views_binary')->count());
        self::assertSame(['events' => 1, 'full' => 2], $on->pending());
        self::assertSame(['quota' => 1], $on->status()['full']->backpressure->refusedByReason);
    }

    #[Test]
    public function overflow_says_what_becomes_of_it_then(): void
    {
        $on = $this->on(
            WorkbenchDatabase::Sqlite,
            ['events' => ['sink' => 'file', 'path' => '/events', 'overflow' => 'drop', 'max_bytes' => 65_536]],
        );
        self::fill('events');
        DB::transaction(
            fn () => Buffer::afterCommit()->bucket('events')->addMany([['n' => str_repeat('y', 2_000)], ['n' => 1]]),
        );

        self::assertSame(['quota' => 2], $on->status()['events']->backpressure->droppedByReason);
    }

    /** @param array<string, mixed> $buckets */
    private function on(
        WorkbenchDatabase $database,
        array $buckets = ['events' => ['sink' => 'file', 'path' => '/nowhere/events']],
    ): OnWorkbench {
        return $this->on = OnWorkbench::with($database, $buckets);
    }

    private static function fill(string $bucket): void
    {
        Buffer::bucket($bucket)->add(['n' => str_repeat('x', 65_000)]);
        Buffer::bucket($bucket)->add(['n' => str_repeat('x', 2_000)]);
    }

    private function add(string $what, ?string $connection = null): void
    {
        Buffer::afterCommit($connection)->bucket('events')->add(['what' => $what]);
    }

    /** Since the last look. */
    private function assertBuffered(string ...$what): void
    {
        preg_match_all(
            '/"what": ?"([^"]+)"/',
            (string) $this->on?->workbench->artisan(
                'spool:peek',
                ['bucket' => 'events', '--json' => true, '--limit' => 100],
            ),
            $m,
        );

        self::assertSame(array_values($what), array_slice($m[1], $this->seen));
        $this->seen = count($m[1]);
    }

    /** @param Closure(): mixed $transaction */
    private static function ended(Closure $transaction): void
    {
        try {
            $transaction();
            self::fail('It was not rolled back.');
        } catch (RuntimeException $e) {
            self::assertSame('back', $e->getMessage());
        }
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Core\Finding;
use Headroom\Laravel\Facades\Buffer;
use Headroom\Spool\AppendFailure;
use Headroom\Spool\Health\Health;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\UnableToAppend;
use Headroom\Tests\Laravel\Support\OnWorkbench;
use Headroom\Tests\Support\Dug;
use Headroom\Tests\Support\Snapshot;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Foundation\Console\AboutCommand;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Schema;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Buffer::direct(), and `enabled` set to false.
 */
#[Group('snapshot')]
final class DirectWriteTest extends TestCase
{
    private const BUCKETS = [
        'events' => ['sink' => 'database', 'table' => 'past_events', 'redact' => ['password']],
    ];

    private ?OnWorkbench $on = null;

    protected function tearDown(): void
    {
        $this->on?->shut();
        $this->on = null;
    }

    #[Test]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function a_direct_event_is_stored_at_once_within_the_transaction_of_the_caller(
        WorkbenchDatabase $database,
    ): void {
        $on = $this->on($database);
        Buffer::bucket('events')->add(['name' => 'buffered']);
        Buffer::direct()->bucket('events')->add(['name' => 'one', 'password' => 'secret']);
        Buffer::direct()->buffer(['payload' => ['name' => 'two']], 'events');
        Buffer::direct()->bucket('events')->addMany([['name' => 'three'], ['name' => 'four']]);
        self::assertSame(['one', 'two', 'three', 'four'], $this->names());
        self::assertSame('[redacted]', DB::table('past_events')->where('name', 'one')->value('password'));

        DB::beginTransaction();
        Buffer::direct()->bucket('events')->add(['name' => 'rolled back']);
        self::assertCount(5, $this->names());
        DB::rollBack();
        DB::transaction(fn () => Buffer::direct()->bucket('events')->add(['name' => 'committed']));
        self::assertSame(['one', 'two', 'three', 'four', 'committed'], $this->names());

        $this->assertAccounts($on, accepted: 6, delivered: 5, bypassed: 5, pending: 1);
        $on->workbench->artisan('spool:flush', ['bucket' => 'events']);
        $this->assertAccounts($on, accepted: 6, delivered: 6, bypassed: 5, pending: 0);
        self::assertMatchesRegularExpression('/^events: .*\b5\b/m', $on->workbench->artisan('spool:status'));
    }

    #[Test]
    public function a_direct_event_that_the_sink_refuses_throws_after_one_try_despite_overflow(): void
    {
        $on = $this->on(
            WorkbenchDatabase::Sqlite,
            ['events' => ['sink' => 'database', 'table' => 'past_events', 'overflow' => 'drop']],
        );
        Buffer::bucket('events')->add(['name' => 'buffered']);
        $tries = 0;
        DB::listen(function () use (&$tries): void {
            $tries++;
        });

        foreach ([
            fn () => Buffer::direct()->bucket('events')->add(['gone' => 1]),
            fn () => Buffer::direct()->bucket('default')->add(['n' => 1]),
        ] as $call) {
            try {
                $call();
                self::fail('It was taken.');
            } catch (UnableToAppend $e) {
                self::assertSame(AppendFailure::Sink, $e->failure);
            }
        }

        $this->assertAccounts($on, accepted: 1, delivered: 0, bypassed: 0, pending: 1);
        self::assertSame(['events' => 1], $on->pending());
        self::assertSame([], $on->status()['events']->backpressure->droppedByReason);
    }

    #[Test]
    public function a_direct_event_may_wait_for_a_commit(): void
    {
        $this->on(WorkbenchDatabase::Sqlite);
        DB::transaction(function (): void {
            Buffer::direct()->afterCommit()->bucket('events')->add(['name' => 'one']);
            Buffer::afterCommit()->direct()->bucket('events')->add(['name' => 'two']);
            self::assertSame([], $this->names());
        });
        self::assertSame(['one', 'two'], $this->names());
        self::assertSame([], $this->on?->pending());
    }

    #[Test]
    #[TestWith([false])]
    #[TestWith(['0'])]
    public function a_disabled_buffer_sends_to_the_sink_and_still_flushes_waiting_events(mixed $off): void
    {
        $on = $this->on(WorkbenchDatabase::Sqlite);
        Buffer::bucket('events')->add(['name' => 'buffered before']);
        // It remembers applications that are gone.
        AboutCommand::flushState();
        $this->on = $on = $on->again(self::BUCKETS, ['enabled' => $off]);

        Buffer::bucket('events')->add(['name' => 'one']);
        DB::transaction(function (): void {
            Buffer::afterCommit()->bucket('events')->add(['name' => 'two']);
            self::assertSame(['one'], $this->names());
        });
        self::assertSame(['one', 'two'], $this->names());

        $status = json_decode($on->workbench->artisan('spool:status', ['--json' => true]), true);
        self::assertFalse(is_array($status) ? $status['enabled'] : null);
        Snapshot::assertPrinted('spool:status', 'the buffer is turned off', $on->workbench->artisan('spool:status'));

        // Nothing says where else it would go.
        Buffer::bucket('default')->add(['n' => 1]);
        self::assertSame(['default' => 1, 'events' => 1], $on->pending());

        $about = json_decode($on->workbench->artisan('about', ['--only' => 'headroom', '--json' => true]), true);
        $words = Dug::out($about, 'headroom', 'buffer');
        self::assertIsString($words);
        Snapshot::assertPrinted('about', 'the buffer is turned off', $words);
        $problems = array_filter(
            (new Health($on->workbench->app->make(SpoolServices::class)))->findings(),
            static fn (Finding $problem): bool => str_contains($problem->message, "'enabled'"),
        );
        self::assertSame([['configuration', false]], array_map(
            static fn (Finding $problem): array => [$problem->subject, $problem->fatal],
            array_values($problems),
        ));

        $on->workbench->artisan('spool:flush', ['bucket' => 'events']);
        self::assertSame(['one', 'two', 'buffered before'], $this->names());
        $this->assertAccounts($on, accepted: 3, delivered: 3, bypassed: 2, pending: 0);
    }

    #[Test]
    public function a_disabled_buffer_makes_no_directory_until_an_event_without_a_sink_comes(): void
    {
        $on = $this->on(
            WorkbenchDatabase::Sqlite,
            ['events' => ['sink' => 'database', 'table' => 'past_events'], 'without-sink' => ['max_bytes' => 100_000]],
            ['enabled' => false],
        );
        Buffer::bucket('events')->add(['name' => 'one']);

        self::assertSame(['one'], $this->names());
        self::assertDirectoryDoesNotExist("{$on->workbench->storage}/app/private/buffer");
        Buffer::bucket('without-sink')->add(['n' => 1]);
        self::assertDirectoryExists("{$on->workbench->storage}/app/private/buffer/buckets/without-sink/active");
    }

    /**
     * @param array<string, mixed> $buckets
     * @param array<string, mixed> $settings
     */
    private function on(WorkbenchDatabase $database, array $buckets = self::BUCKETS, array $settings = []): OnWorkbench
    {
        $this->on = $on = OnWorkbench::with($database, $buckets, $settings);
        Schema::dropIfExists('past_events');
        Schema::create('past_events', static function (Blueprint $table): void {
            $table->id();
            $table->string('name');
            $table->string('password')->nullable();
        });

        return $on;
    }

    /** @return list<mixed> */
    private function names(): array
    {
        return array_values(DB::table('past_events')->orderBy('id')->pluck('name')->all());
    }

    private function assertAccounts(OnWorkbench $on, int $accepted, int $delivered, int $bypassed, int $pending): void
    {
        $bucket = $on->status()['events'];

        self::assertSame(
            [$accepted, $delivered, $bypassed, $pending, 0],
            [
                $bucket->events->accepted,
                $bucket->events->delivered,
                $bucket->backpressure->bypassed,
                $bucket->events->pending,
                $bucket->events->missing,
            ],
        );
    }
}

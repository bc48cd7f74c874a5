<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Closure;
use DateTimeImmutable;
use Headroom\Laravel\Facades\Buffer;
use Headroom\Laravel\Facades\FileSystemBuffer;
use Headroom\Laravel\Facades\RedisBuffer;
use Headroom\Spool\AppendFailure;
use Headroom\Spool\Buffer as RealBuffer;
use Headroom\Spool\InvalidEvent;
use Headroom\Spool\UnableToAppend;
use Headroom\Spool\UnableToFlush;
use Headroom\Tests\Laravel\Support\Models\Shade;
use Headroom\Tests\Laravel\Support\Models\Ticket;
use Headroom\Tests\Laravel\Support\OnWorkbench;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Schema;
use LogicException;
use PHPUnit\Framework\AssertionFailedError;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[Group('snapshot')]
final class FakeTest extends TestCase
{
    private const BUCKETS = [
        'tickets' => ['sink' => 'database', 'table' => 'tickets', 'batch' => 2],
        'views' => [
            'sink' => 'database',
            'table' => 'views',
            'overflow' => 'drop',
            'sample' => 0,
            'redact' => ['password'],
        ],
        'others' => [],
    ];

    private ?OnWorkbench $on = null;

    protected function setUp(): void
    {
        $this->on = OnWorkbench::with(WorkbenchDatabase::Sqlite, self::BUCKETS);
        Schema::create('tickets', static function (Blueprint $table): void {
            $table->string('id')->primary();
            $table->string('title');
        });
    }

    protected function tearDown(): void
    {
        $this->on?->shut();
        $this->on = null;
    }

    #[Test]
    public function buffered_events_are_seen_by_bucket_row_and_number_and_not_on_disk(): void
    {
        Buffer::fake();
        Buffer::assertNothingBuffered();
        Buffer::bucket('tickets')->add([
            'id' => '1',
            'title' => 'one',
            'tags' => ['a'],
            'shade' => Shade::Dark,
            'at' => new DateTimeImmutable('2026-01-02 03:04:05'),
        ]);
        Buffer::buffer(['payload' => ['id' => '2', 'title' => 'two']], 'tickets');
        $this->on?->workbench->app->make(RealBuffer::class)->bucket('others')->addMany([['n' => 1], ['n' => 2]]);
        Buffer::hold(fn () => Buffer::bucket('others')->add(['n' => 3]));

        Buffer::assertBuffered('tickets');
        Buffer::assertBuffered('tickets', 2);
        Buffer::assertBuffered(
            'tickets',
            fn (array $row, string $bucket): bool => $row['title'] === 'two' && $bucket === 'tickets',
        );
        Buffer::assertBuffered(
            'tickets',
            fn (array $row): bool => ($row['tags'] ?? null) === ['a']
                && $row['shade'] === 'dark'
                && $row['at'] instanceof DateTimeImmutable
                && $row['at']->format('Y-m-d H:i:s') === '2026-01-02 03:04:05',
        );
        Buffer::assertBufferedTimes('others', 3);
        Buffer::assertNotBuffered('tickets', fn (array $row): bool => $row['title'] === 'three');
        Buffer::assertNotBuffered('nothing');
        self::assertSame([1, 2, 3], array_column(Buffer::fake()->buffered('others'), 'n'));
        self::assertCount(5, Buffer::fake()->buffered());
        self::assertSame([], $this->on?->pending());
        self::assertFileDoesNotExist("{$this->on->workbench->storage}/app/private/buffer/buckets");
    }

    #[Test]
    public function an_assertion_that_fails_shows_the_buffered_events(): void
    {
        Buffer::fake();
        $said = [self::failure(fn () => Buffer::assertBuffered('tickets'))];
        Sentence::assertNames(["'tickets'"], $said[0]);

        Buffer::bucket('others')->add(['n' => 1, 'at' => new DateTimeImmutable('2026-01-02 03:04:05 UTC')]);
        $seen = 'others: {"n":1,"at":"2026-01-02 03:04:05.000000 +00:00"}';

        foreach ([
            [fn () => Buffer::assertBuffered('others', fn (): bool => false), ["'others'", $seen]],
            [fn () => Buffer::assertBuffered('others', 2), ['1', "'others'", '2', $seen]],
            [fn () => Buffer::assertNotBuffered('others'), ['1', "'others'", $seen]],
            [fn () => Buffer::assertNothingBuffered(), [$seen]],
            [fn () => Buffer::assertFlushed('others'), ["'others'", 'flush()', $seen]],
        ] as [$assertion, $names]) {
            $said[] = self::failure($assertion);
            Sentence::assertNames($names, end($said));
        }

        Snapshot::assertPrinted('the fake of the buffer', 'assertions that fail', implode("\n", $said));
    }

    #[Test]
    public function it_encodes_refuses_and_redacts_as_the_real_one_and_samples_nothing_out(): void
    {
        $fake = Buffer::fake();

        try {
            Buffer::bucket('views')->add(['path' => '/', 'then' => fn (): int => 1]);
            self::fail('A closure was taken.');
        } catch (InvalidEvent $e) {
            self::assertSame('then', $e->path);
        }

        Buffer::assertNothingBuffered();
        Buffer::bucket('views')->add(['path' => '/', 'password' => 'secret']);
        self::assertSame([['path' => '/', 'password' => '[redacted]']], $fake->buffered('views'));
    }

    #[Test]
    public function a_full_disk_throws_or_drops_as_the_real_one_for_some_calls(): void
    {
        $fake = Buffer::fake()->rejectWhenFull(2);

        foreach ([1, 2] as $call) {
            try {
                Buffer::bucket('tickets')->add(['id' => '1']);
                self::fail("Call {$call} was taken.");
            } catch (UnableToAppend $e) {
                self::assertSame(AppendFailure::DiskFull, $e->failure);
            }
        }

        Buffer::bucket('tickets')->add(['id' => '2']);
        self::assertSame([['id' => '2']], $fake->buffered());

        $fake->rejectWhenFull();
        Buffer::bucket('views')->addMany([['n' => 1], ['n' => 2]]);
        $fake->assertDropped('views', 2);
        $fake->assertNotBuffered('views');
    }

    #[Test]
    public function flush_hands_what_was_buffered_to_the_sinks_and_what_fails_stays(): void
    {
        $fake = Buffer::fake();
        Buffer::bucket('tickets')
            ->addMany([['id' => '1', 'title' => 'a'], ['id' => '2', 'title' => 'b'], ['id' => '3', 'title' => 'c']]);
        Buffer::bucket('others')->add(['n' => 1]);
        $fake->failNextFlush();

        try {
            $fake->flush();
            self::fail('It was flushed.');
        } catch (UnableToFlush) {
            self::assertSame(0, DB::table('tickets')->count());
        }

        self::assertSame(3, $fake->flush());
        Buffer::assertFlushed();
        Buffer::assertFlushed('tickets', 3);
        self::assertSame(['1', '2', '3'], DB::table('tickets')->orderBy('id')->pluck('id')->all());
        self::assertSame(0, $fake->flush(), 'Once is enough.');
        Buffer::assertBuffered('others');

        Buffer::bucket('tickets')->add(['id' => '1', 'title' => 'there already']);

        try {
            $fake->flush('tickets');
            self::fail('It was flushed.');
        } catch (UnableToAppend $e) {
            self::assertSame(AppendFailure::Sink, $e->failure);
        }

        self::assertSame(3, DB::table('tickets')->count());
        Buffer::assertFlushed('tickets', 3);
    }

    #[Test]
    public function only_the_buckets_that_are_named_are_faked_and_a_model_names_its_own(): void
    {
        Buffer::fake([Ticket::class]);
        Ticket::buffer(['title' => 'a']);
        Buffer::bucket('others')->add(['n' => 1]);
        Buffer::assertBuffered(Ticket::class, fn (array $row): bool => $row['title'] === 'a');
        Buffer::assertNotBuffered('others');
        self::assertSame(['others' => 1], $this->on?->pending());

        Buffer::fakeExcept('others');
        Ticket::bufferMany([['title' => 'b'], ['title' => 'c']]);
        Buffer::bucket('others')->add(['n' => 2]);
        Buffer::assertBufferedTimes(Ticket::class, 2);
        self::assertSame(['others' => 2], $this->on->pending());
    }

    #[Test]
    public function the_buffers_of_callbacks_are_faked_as_well(): void
    {
        FileSystemBuffer::buffer(['n' => 0], 'others');
        Buffer::fake();
        FileSystemBuffer::buffer(['n' => 1], 'others');
        RedisBuffer::buffer(['n' => 2], 'others');
        RedisBuffer::bucket('others')->add(['n' => 3]);

        self::assertSame([1, 2, 3], array_column(Buffer::fake()->buffered('others'), 'n'));
        self::assertSame(['others' => 1], $this->on?->pending());
    }

    #[Test]
    public function events_wait_for_their_commit_and_events_past_the_buffer_are_seen(): void
    {
        Buffer::fake();
        DB::transaction(function (): void {
            Buffer::afterCommit()->bucket('tickets')->add(['id' => '1']);
            Ticket::buffer(['title' => 'a'], afterCommit: true);
            Buffer::assertNothingBuffered();
        });
        Buffer::assertBufferedTimes('tickets', 2);
        Buffer::direct()->bucket('tickets')->add(['id' => '2', 'title' => 'b']);
        Buffer::assertBufferedTimes('tickets', 3);
        self::assertSame(0, DB::table('tickets')->count());
    }

    #[Test]
    public function without_a_fake_there_is_nothing_to_ask(): void
    {
        $this->expectException(LogicException::class);
        $this->expectExceptionMessage('Buffer::fake()');
        Buffer::assertNothingBuffered();
    }

    /** @param Closure(): void $assertion */
    private static function failure(Closure $assertion): string
    {
        try {
            $assertion();
        } catch (AssertionFailedError $e) {
            return (string) preg_replace('/\nFailed asserting.*/s', '', $e->getMessage());
        }

        self::fail('It did not fail.');
    }
}

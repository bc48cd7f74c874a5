<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use ArrayObject;
use Error;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\ReplayCommand;
use Headroom\Sink\Memory\Arrivals;
use Headroom\Spool\Delivery\TransactionLeftOpen;
use Headroom\Spool\UnableToAppend;
use Headroom\Tests\Laravel\Support\Handlers\Feeding;
use Headroom\Tests\Laravel\Support\Handlers\HandlesEach;
use Headroom\Tests\Laravel\Support\Handlers\HidesIt;
use Headroom\Tests\Laravel\Support\Handlers\NoHandle;
use Headroom\Tests\Laravel\Support\Handlers\Noting;
use Headroom\Tests\Laravel\Support\Handlers\TakesArray;
use Headroom\Tests\Laravel\Support\Handlers\TakesTooMuch;
use Headroom\Tests\Laravel\Support\Handlers\Transacting;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Headroom\Tests\Support\CustomSinkExample;
use Headroom\Tests\Support\Snapshot;
use Illuminate\Database\QueryException;
use PDOException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * Sinks that an application brings: a handler, a class, and what its tests look into.
 */
#[Group('snapshot')]
final class CustomSinksTest extends SpoolTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->spool->buckets = [];
    }

    #[Test]
    public function the_page_s_example_is_registered_by_its_name(): void
    {
        $directory = dirname($this->spool->file('buffer')).'/drop-off';
        mkdir($directory);
        $this->spool->buckets = ['drop-off' => [
            'sink' => CustomSinkExample::load(),
            'directory' => $directory,
            'batch' => 2,
        ]];
        $this->spool->add(3, 'drop-off');
        $flushed = $this->spool->run(FlushCommand::class);

        self::assertSame([0, [3, 2]], [$flushed->exit, $flushed->numbers()]);
        self::assertCount(2, (array) glob("{$directory}/*.ndjson"));
        self::assertSame([], $this->spool->problems());
    }

    #[Test]
    public function the_container_gives_the_events_that_arrived_in_memory(): void
    {
        $this->spool->buckets = ['a' => ['sink' => 'memory'], 'b' => ['sink' => 'memory']];
        $this->spool->add(2, 'a');
        $this->spool->add(1, 'b');
        $this->spool->run(FlushCommand::class);
        $arrivals = $this->spool->container->make(Arrivals::class);

        self::assertSame([['event' => 'event-0'], ['event' => 'event-1']], $arrivals->valuesOf('a'));
        self::assertCount(1, $arrivals->of('b'));
    }

    #[Test]
    public function a_handler_that_is_an_interface_is_made_as_the_container_binds_it(): void
    {
        $this->spool->buckets = ['a' => ['sink' => 'handler', 'handler' => HandlesEach::class]];
        $this->spool->add(2, 'a');
        self::assertStringContainsString('spool.buckets.a.handler ', $this->spool->problems()[0]->message);
        self::assertStringContainsString(HandlesEach::class, $this->spool->problems()[0]->message);

        /** @var ArrayObject<int, string> $notes */
        $notes = new ArrayObject;
        $this->spool->container->bind(HandlesEach::class, static fn (): Noting => new Noting($notes));
        self::assertSame([], $this->spool->problems());
        $this->spool->run(FlushCommand::class);
        self::assertSame(['event-0', 'event-1'], $notes->getArrayCopy());
    }

    #[Test]
    public function the_work_of_a_handler_in_a_transaction_left_open_is_not_counted(): void
    {
        $this->spool->buckets = ['a' => ['sink' => 'handler', 'handler' => HandlesEach::class]];
        $this->spool->add(2, 'a');
        $handler = new Transacting($this->spool->database());
        $this->spool->container->bind(HandlesEach::class, static fn (): Transacting => $handler);

        self::assertStringContainsString('Not now.', $this->spool->run(FlushCommand::class)->err);
        $rolledBack = $this->spool->run(FlushCommand::class, ['--now' => true])->err;
        self::assertStringContainsString(TransactionLeftOpen::on('default', 'a', null)->getMessage(), $rolledBack);
        self::assertSame([2, 2], $this->spool->run(FlushCommand::class, ['--now' => true])->numbers());
        self::assertSame([0, 2], [$this->spool->database()->transactionLevel(), $this->spool->count()]);
    }

    /** Failures are shown on the dashboard, and sent to other machines and in alerts. */
    #[Test]
    public function a_query_of_a_handler_that_fails_is_named_without_its_values(): void
    {
        $driver = new PDOException("SQLSTATE[22007]: 1366 Incorrect integer value: 'geheim' for column 'n' at row 1");
        $driver->errorInfo = ['22007', 1366, "Incorrect integer value: 'geheim' for column 'n' at row 1"];
        $query = new QueryException('mysql', 'insert into t (n) values (?)', ['geheim'], $driver);
        self::assertStringContainsString('geheim', $query->getMessage());
        $this->spool->buckets = ['a' => ['sink' => 'handler', 'handler' => HandlesEach::class]];
        $this->spool->add(1, 'a');
        $this->spool->container->bind(
            HandlesEach::class,
            static fn (): Feeding => new Feeding(static fn () => throw $query),
        );

        $said = $this->spool->run(FlushCommand::class)->err;
        self::assertStringContainsString("Incorrect integer value for column 'n' at row 1 (SQLSTATE 22007)", $said);
        self::assertStringNotContainsString('geheim', $said);
    }

    #[Test]
    public function a_handler_that_feeds_its_own_bucket_past_the_buffer_is_stopped(): void
    {
        $this->spool->settings = ['enabled' => false];
        $this->spool->buckets = ['a' => ['sink' => 'handler', 'handler' => HandlesEach::class]];
        $buffer = $this->spool->runtime()->buffer();
        /** @var ArrayObject<int, true> $calls */
        $calls = new ArrayObject;
        $this->spool->container->bind(
            HandlesEach::class,
            static fn (): Feeding => new Feeding(static function () use ($buffer, $calls): void {
                $calls[] = true;
                count($calls) < 100 || throw new Error('It goes on for ever.');
                $buffer->bucket('a')->add(['event' => 'again']);
            }),
        );

        try {
            $buffer->bucket('a')->add(['event' => 'first']);
            self::fail('It was taken.');
        } catch (UnableToAppend $e) {
            self::assertStringContainsString(
                UnableToAppend::sinkWritesToOwnBucket('a')->getMessage(),
                $e->getMessage(),
            );
            self::assertCount(8, $calls);
        }
    }

    #[Test]
    public function a_range_that_was_begun_for_a_removed_sink_has_a_named_way_out(): void
    {
        $this->spool->buckets = ['a' => ['sink' => 'handler', 'handler' => HandlesEach::class]];
        $this->spool->container->bind(
            HandlesEach::class,
            fn (): Transacting => new Transacting($this->spool->database()),
        );
        $this->spool->add(2, 'a');
        $this->spool->run(FlushCommand::class);
        $this->spool->buckets = ['a' => ['sink' => 'memory']];

        self::assertStringContainsString(
            'docs/errors.md#sink-changed',
            $this->spool->run(FlushCommand::class, ['--now' => true])->err,
        );
        $asked = $this->spool->run(ReplayCommand::class, ['bucket' => 'a', '--from-now' => true]);
        self::assertSame([1, [1]], [$asked->exit, $asked->numbers()]);
        self::assertStringContainsString('--again', $asked->out);
        Snapshot::assertPrinted('spool:replay', 'a batch was begun', $asked->out);
        $replayed = $this->spool->run(ReplayCommand::class, ['bucket' => 'a', '--from-now' => true, '--again' => true]);
        self::assertSame(0, $replayed->exit);
        self::assertSame([2, 0, 1], $replayed->numbers());
        Snapshot::assertPrinted('spool:replay', 'a batch that was begun is given up', $replayed->out);
        self::assertSame([2, 1], $this->spool->run(FlushCommand::class, ['--now' => true])->numbers());
    }

    /**
     * @return iterable<string, list<array<string, mixed>|string>> a bucket, the key that is wrong,
     *     and what is named with it
     */
    public static function wrong(): iterable
    {
        yield 'no sink of that name' => [
            ['sink' => 'smtp'], 'a.sink', "'smtp'", 'database, file, handler, http, elasticsearch',
        ];
        yield 'a class that is no sink' => [
            ['sink' => NoHandle::class], 'a.sink', NoHandle::class, 'Headroom\Sink\Sink',
        ];
        yield 'no such class' => [['sink' => 'App\Sinks\Gone'], 'a.sink', 'App\Sinks\Gone', 'database, file'];
        yield 'a setting that is no argument' => [
            ['sink' => CustomSinkExample::load(), 'directory' => '/tmp', 'dir' => '/tmp'], 'a.dir',
            'store, directory.',
        ];
        yield 'an argument that is missing' => [['sink' => CustomSinkExample::load()], 'a.sink', '(directory)'];
        yield 'an argument of a wrong type' => [
            ['sink' => CustomSinkExample::load(), 'directory' => ['/tmp']],
            'a.sink',
            'must be of type string, array given',
        ];
        yield 'no handler' => [['sink' => 'handler'], 'a.handler'];
        yield 'no class of that name' => [
            ['sink' => 'handler', 'handler' => 'App\Buffers\Gone'],
            'a.handler',
            'App\Buffers\Gone',
            'handle(Headroom\Core\Record $event)',
            'handle(Headroom\Core\Batch $events)',
        ];
        yield 'no method' => [['sink' => 'handler', 'handler' => NoHandle::class], 'a.handler', 'handle()'];
        yield 'a parameter of another type' => [
            ['sink' => 'handler', 'handler' => TakesArray::class], 'a.handler', 'handle(array)',
        ];
        yield 'a second parameter of another type' => [
            ['sink' => 'handler', 'handler' => TakesTooMuch::class], 'a.handler',
            'handle(Headroom\Core\Batch, string)',
        ];
        yield 'a method that is not public' => [
            ['sink' => 'handler', 'handler' => HidesIt::class], 'a.handler', HidesIt::class, 'handle(',
        ];
        yield 'an unknown setting' => [['sink' => 'handler', 'handlers' => NoHandle::class], 'a.handlers', 'handler'];
    }

    /** @param array<string, mixed> $bucket */
    #[Test, Group('day-3')]
    #[DataProvider('wrong')]
    public function a_wrong_setting_is_named_by_the_health_check_and_by_the_flush(
        array $bucket,
        string $key,
        string ...$named,
    ): void {
        $this->spool->buckets = ['a' => $bucket];
        $this->spool->add(1, 'a');
        $problem = $this->spool->problems()[0];

        self::assertSame('bucket a', $problem->subject);
        $flushed = $this->spool->run(FlushCommand::class);
        self::assertSame(1, $flushed->exit);
        // Of an argument the container tells, in the words of its version.
        if (! str_starts_with((string) $this->dataName(), 'an argument')) {
            Snapshot::assertPrinted('an own sink', (string) $this->dataName(), $problem->message);
        }

        foreach (["spool.buckets.{$key} ", ...$named] as $name) {
            self::assertStringContainsString($name, $problem->message);
            self::assertStringContainsString($name, $flushed->err);
        }
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use ArrayObject;
use Error;
use Headroom\Cli\Spool\FlushCommand;
use Headroom\Cli\Spool\ReplayCommand;
use Headroom\Sink\Memory\Arrivals;
use Headroom\Spool\UnableToAppend;
use Headroom\Tests\Laravel\Support\Handlers\Feeding;
use Headroom\Tests\Laravel\Support\Handlers\HandlesEach;
use Headroom\Tests\Laravel\Support\Handlers\HidesIt;
use Headroom\Tests\Laravel\Support\Handlers\NoHandle;
use Headroom\Tests\Laravel\Support\Handlers\Noting;
use Headroom\Tests\Laravel\Support\Handlers\TakesArray;
use Headroom\Tests\Laravel\Support\Handlers\TakesTooMuch;
use Headroom\Tests\Laravel\Support\Handlers\Transacting;
use Headroom\Tests\Laravel\Support\Spool;
use Headroom\Tests\Support\CustomSinkExample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Sinks that an application brings: a handler, a class, and what its tests look into.
 */
final class OwnSinksTest extends TestCase
{
    private Spool $spool;

    protected function setUp(): void
    {
        $this->spool = new Spool([]);
    }

    protected function tearDown(): void
    {
        $this->spool->remove();
    }

    #[Test]
    public function the_page_s_example_is_registered_by_its_name(): void
    {
        $directory = dirname($this->spool->file('buffer')).'/drop-off';
        mkdir($directory);
        $this->spool->buckets = ['drop-off' => ['sink' => CustomSinkExample::load(), 'directory' => $directory, 'batch' => 2]];
        $this->spool->add(3, 'drop-off');
        $flushed = $this->spool->run(FlushCommand::class);

        self::assertSame([0, "drop-off: 3 delivered in 2 batches\n"], [$flushed->exit, $flushed->out]);
        self::assertCount(2, (array) glob("{$directory}/*.ndjson"));
        self::assertSame([], $this->spool->problems());
    }

    #[Test]
    public function what_arrives_in_memory_can_be_asked_of_the_container(): void
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
        $this->spool->buckets = ['a' => ['sink' => 'call', 'handler' => HandlesEach::class]];
        $this->spool->add(2, 'a');
        self::assertStringContainsString("Config spool.buckets.a.handler is '".HandlesEach::class."'. It must be something that the container can make. It says: ", $this->spool->problems()[0]->message);

        /** @var ArrayObject<int, string> $notes */
        $notes = new ArrayObject;
        $this->spool->container->bind(HandlesEach::class, static fn (): Noting => new Noting($notes));
        self::assertSame([], $this->spool->problems());
        $this->spool->run(FlushCommand::class);
        self::assertSame(['event-0', 'event-1'], $notes->getArrayCopy());
    }

    #[Test]
    public function what_a_handler_does_in_a_transaction_that_it_leaves_open_is_not_counted_as_done(): void
    {
        $this->spool->buckets = ['a' => ['sink' => 'call', 'handler' => HandlesEach::class]];
        $this->spool->add(2, 'a');
        $handler = new Transacting($this->spool->database());
        $this->spool->container->bind(HandlesEach::class, static fn (): Transacting => $handler);

        self::assertStringContainsString('Not now.', $this->spool->run(FlushCommand::class)->err);
        self::assertStringContainsString("bucket 'a' returned with a transaction open on the connection 'default', which was rolled back", $this->spool->run(FlushCommand::class, ['--now' => true])->err);
        self::assertSame("a: 2 delivered in 2 batches\n", $this->spool->run(FlushCommand::class, ['--now' => true])->out);
        self::assertSame([0, 2], [$this->spool->database()->transactionLevel(), $this->spool->count()]);
    }

    #[Test]
    public function a_handler_that_feeds_its_own_bucket_past_the_buffer_is_stopped(): void
    {
        $this->spool->settings = ['enabled' => false];
        $this->spool->buckets = ['a' => ['sink' => 'call', 'handler' => HandlesEach::class]];
        $buffer = $this->spool->runtime()->buffer();
        /** @var ArrayObject<int, true> $calls */
        $calls = new ArrayObject;
        $this->spool->container->bind(HandlesEach::class, static fn (): Feeding => new Feeding(static function () use ($buffer, $calls): void {
            $calls[] = true;
            count($calls) < 100 || throw new Error('It goes on for ever.');
            $buffer->bucket('a')->add(['event' => 'again']);
        }));

        try {
            $buffer->bucket('a')->add(['event' => 'first']);
            self::fail('It was taken.');
        } catch (UnableToAppend $e) {
            self::assertStringContainsString("Events of bucket 'a' lead to events of the same bucket", $e->getMessage());
            self::assertCount(8, $calls);
        }
    }

    #[Test]
    public function a_range_that_was_begun_for_a_sink_that_is_gone_has_a_way_out_that_the_failure_names(): void
    {
        $this->spool->buckets = ['a' => ['sink' => 'call', 'handler' => HandlesEach::class]];
        $this->spool->container->bind(HandlesEach::class, fn (): Transacting => new Transacting($this->spool->database()));
        $this->spool->add(2, 'a');
        $this->spool->run(FlushCommand::class);
        $this->spool->buckets = ['a' => ['sink' => 'memory']];

        self::assertStringContainsString('`php artisan spool:replay a --from-now --again`', $this->spool->run(FlushCommand::class, ['--now' => true])->err);
        $asked = $this->spool->run(ReplayCommand::class, ['bucket' => 'a', '--from-now' => true]);
        self::assertSame([1, 'a: 1 event may have arrived already: a batch was begun, and nobody knows how it ended. They would get another id; `spool:flush` hands them over under the one that they have. Nothing was changed; add --again if that is what you want.'."\n"], [$asked->exit, $asked->out]);
        $replayed = $this->spool->run(ReplayCommand::class, ['bucket' => 'a', '--from-now' => true, '--again' => true]);
        self::assertSame(0, $replayed->exit);
        self::assertStringContainsString('the next flush delivers 2 events, 0 of them again; a batch of 1 event was begun, and it is not known whether the sink has had it.', $replayed->out);
        self::assertSame("a: 2 delivered in 1 batch\n", $this->spool->run(FlushCommand::class, ['--now' => true])->out);
    }

    /** @return iterable<string, array{array<string, mixed>, string, string}> */
    public static function wrong(): iterable
    {
        $handler = 'the name of a class, or of an interface that is bound in the container, with a public method handle(Headroom\Core\Record $event) or handle(Headroom\Core\Batch $events); a second parameter may be a Headroom\Sink\Delivery';

        yield 'no sink of that name' => [['sink' => 'smtp'], 'a.sink', "'smtp'. It must be one of database, file, call, http, elasticsearch, clickhouse, memory, or the name of a class that implements Headroom\Sink\Sink."];
        yield 'a class that is no sink' => [['sink' => NoHandle::class], 'a.sink', "'".NoHandle::class."'. It must be the name of a class that implements Headroom\Sink\Sink."];
        yield 'no such class' => [['sink' => 'App\Sinks\Gone'], 'a.sink', "'App\Sinks\Gone'. It must be one of database"];
        yield 'a setting that is no argument' => [['sink' => CustomSinkExample::load(), 'directory' => '/tmp', 'dir' => '/tmp'], 'a.dir', 'is not a known setting. Known here: sink, batch, utf8, on_failure, quota, durability, rate, tries, sample, redact, schedule, store, directory.'];
        yield 'an argument that is missing' => [['sink' => CustomSinkExample::load()], 'a.sink', 'arguments of its constructor (directory) are settings of the bucket. It says: '];
        yield 'an argument of a wrong type' => [['sink' => CustomSinkExample::load(), 'directory' => ['/tmp']], 'a.sink', 'must be of type string, array given'];
        yield 'no handler' => [['sink' => 'call'], 'a.handler', 'is missing. It must be a non-empty string.'];
        yield 'no class of that name' => [['sink' => 'call', 'handler' => 'App\Buffers\Gone'], 'a.handler', "'App\Buffers\Gone'. It must be {$handler}. There is no class of that name."];
        yield 'no method' => [['sink' => 'call', 'handler' => NoHandle::class], 'a.handler', 'That one has no handle().'];
        yield 'a parameter of another type' => [['sink' => 'call', 'handler' => TakesArray::class], 'a.handler', 'That one has handle(array).'];
        yield 'a second parameter of another type' => [['sink' => 'call', 'handler' => TakesTooMuch::class], 'a.handler', 'That one has handle(Headroom\Core\Batch, string).'];
        yield 'a method that is not public' => [['sink' => 'call', 'handler' => HidesIt::class], 'a.handler', 'with a public method handle('];
        yield 'an unknown setting' => [['sink' => 'call', 'handlers' => NoHandle::class], 'a.handlers', 'is not a known setting.'];
    }

    /** @param array<string, mixed> $bucket */
    #[Test]
    #[DataProvider('wrong')]
    public function what_is_wrong_is_named_by_the_health_check_and_by_the_flush(array $bucket, string $key, string $message): void
    {
        $this->spool->buckets = ['a' => $bucket];
        $this->spool->add(1, 'a');
        $problem = $this->spool->problems()[0];

        self::assertSame('bucket a', $problem->subject);
        self::assertStringStartsWith("Config spool.buckets.{$key} ", $problem->message);
        self::assertStringContainsString($message, $problem->message);
        $flushed = $this->spool->run(FlushCommand::class);
        self::assertSame(1, $flushed->exit);
        self::assertStringContainsString($message, $flushed->err);
    }
}

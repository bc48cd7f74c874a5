<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Closure;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Sink\Delivery;
use Headroom\Sink\UnableToDeliver;
use Headroom\Spool\Compat\CallbackBuffer;
use Headroom\Spool\Delivery\TransactionLeftOpen;
use Headroom\Spool\UnableToAppend;
use Headroom\Tests\Fault\Support\SomeAreBad;
use Headroom\Tests\Laravel\Support\OwnSink;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Illuminate\Database\Connection;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use RuntimeException;

/**
 * A handler may leave a transaction open: no work in it counts as done.
 */
final class OpenTransactionsTest extends SpoolTestCase
{
    private int $called = 0;

    /** The exception with which the first call ends. */
    private ?RuntimeException $failure = null;

    /** @var ?Closure(Connection): mixed how it begins one, where not with Laravel */
    private ?Closure $begin = null;

    protected function setUp(): void
    {
        parent::setUp();
        $this->spool->buckets = ['a' => ['sink' => OwnSink::class]];
        $this->spool->container->bind(
            OwnSink::class,
            fn (): OwnSink => new OwnSink(function (Delivery $delivery): void {
                $this->insert(array_column($delivery->batch->rows->all(), 'event'));
            }),
        );
    }

    #[Test]
    public function a_sink_of_the_application_s_own_gets_the_events_again(): void
    {
        $this->spool->add(2, 'a');

        $flushed = $this->spool->run(FlushCommand::class);
        self::assertSame(1, $flushed->exit);
        self::assertStringContainsString(self::leftOpen('a'), $flushed->err);
        self::assertSame([0, 0], [$this->spool->database()->transactionLevel(), $this->spool->count()]);
        self::assertSame([2, 1], $this->spool->run(FlushCommand::class, ['--now' => true])->numbers());
        self::assertSame(2, $this->spool->count());
    }

    /** @return iterable<string, array{Closure(Connection): mixed}> */
    public static function waysPastLaravel(): iterable
    {
        yield 'SQL' => [static fn (Connection $connection): bool => $connection->unprepared('BEGIN')];
        yield 'another word of it' => [
            static fn (Connection $connection): bool => $connection->unprepared('begin immediate'),
        ];
        yield 'the handle' => [static fn (Connection $connection): bool => $connection->getPdo()->beginTransaction()];
    }

    /** @param Closure(Connection): mixed $begin */
    #[Test]
    #[DataProvider('waysPastLaravel')]
    public function one_that_was_begun_past_laravel_counts_as_left_open(Closure $begin): void
    {
        $this->begin = $begin;
        $this->spool->add(2, 'a');

        self::assertSame(1, $this->spool->run(FlushCommand::class)->exit);
        self::assertSame(0, $this->spool->count());
        $this->begin = null;
        self::assertSame([2, 1], $this->spool->run(FlushCommand::class, ['--now' => true])->numbers());
        self::assertSame(2, $this->spool->count());
    }

    #[Test]
    public function its_exception_is_told_and_the_next_call_begins_afresh(): void
    {
        $this->failure = new RuntimeException('Not now.');
        $this->spool->add(2, 'a');

        self::assertStringContainsString('Not now.', $this->spool->run(FlushCommand::class)->err);
        self::assertSame([0, 0], [$this->spool->database()->transactionLevel(), $this->spool->count()]);
        self::assertSame([2, 1], $this->spool->run(FlushCommand::class, ['--now' => true])->numbers());
    }

    #[Test]
    public function one_that_says_that_it_took_the_others_has_taken_none(): void
    {
        $this->failure = SomeAreBad::those([0 => 'It is bad.']);
        $this->spool->add(2, 'a');

        self::assertStringContainsString(self::leftOpen('a'), $this->spool->run(FlushCommand::class)->err);
        self::assertSame([2, 1], $this->spool->run(FlushCommand::class, ['--now' => true])->numbers());
        self::assertSame(2, $this->spool->count());
    }

    #[Test]
    public function a_callback_gets_the_events_again(): void
    {
        $this->spool->add(2, 'own');
        $buffer = new CallbackBuffer($this->spool->runtime());
        $callback = function (iterable $rows): bool {
            $this->insert(array_column([...$rows], 'event'));

            return true;
        };

        try {
            $buffer->flush($callback, 'own');
            self::fail('It was taken.');
        } catch (UnableToDeliver $e) {
            self::assertStringContainsString(self::leftOpen('own'), $e->getMessage());
        }

        self::assertSame([0, 0], [$this->spool->database()->transactionLevel(), $this->spool->count()]);
        self::assertTrue($buffer->flush($callback, 'own'));
        self::assertSame(2, $this->spool->count());
    }

    #[Test]
    public function past_the_buffer_the_caller_s_own_transaction_is_left_as_it_was(): void
    {
        $this->spool->settings = ['enabled' => false];
        $database = $this->spool->database();
        $database->beginTransaction();
        $database->table('api_events')->insert(['event' => 'the caller\'s']);
        $bucket = $this->spool->runtime()->buffer()->bucket('a');

        try {
            $bucket->add(['event' => 'one']);
            self::fail('It was taken.');
        } catch (UnableToAppend $e) {
            self::assertStringContainsString(self::leftOpen('a'), $e->getMessage());
        }

        self::assertSame(1, $database->transactionLevel());
        $bucket->add(['event' => 'two']);
        $database->commit();
        self::assertSame(['the caller\'s', 'two'], $database->table('api_events')->pluck('event')->all());
    }

    private static function leftOpen(string $bucket): string
    {
        return TransactionLeftOpen::on('default', $bucket, null)->getMessage();
    }

    /**
     * The first time it forgets the commit.
     *
     * @param array<array-key, mixed> $events
     */
    private function insert(array $events): void
    {
        $database = $this->spool->database();
        $this->begin === null ? $database->beginTransaction() : ($this->begin)($database);
        $database->table('api_events')
            ->insert(array_map(static fn (mixed $event): array => ['event' => $event], $events));

        if (++$this->called === 1) {
            $this->failure === null || throw $this->failure;

            return;
        }

        $database->commit();
    }
}

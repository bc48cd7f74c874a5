<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use DateInterval;
use DateTimeImmutable;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\HealthCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Console\Spool\WorkCommand;
use Headroom\Core\Batch;
use Headroom\Core\Record;
use Headroom\Spool\AppendFailure;
use Headroom\Spool\Compat\CallbackBuffer;
use Headroom\Spool\Compat\InvalidCallback;
use Headroom\Spool\Health\Health;
use Headroom\Spool\InvalidBucket;
use Headroom\Spool\UnableToAppend;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use RuntimeException;
use Throwable;

#[Group('smoke')]
#[Group('snapshot')]
final class CallbackBufferTest extends SpoolTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->spool->buckets = [
            'declared' => ['batch' => 2],
            'api-events' => ['sink' => 'database', 'table' => 'api_events'],
        ];
    }

    #[Test]
    public function a_callback_may_take_rows_or_records_and_the_bucket_and_an_id(): void
    {
        $this->add('own', 1, 2);
        [$rows, $named] = [null, []];
        self::assertFalse($this->buffer()->flush(
            function (iterable $given, ?string $bucket, string $id) use (&$rows, &$named): bool {
                [$rows, $named] = [$given, [$bucket, $id]];

                return false;
            },
            'own',
        ));
        self::assertSame([['n' => 1], ['n' => 2]], $rows);
        self::assertSame('own', $named[0]);
        self::assertMatchesRegularExpression('~^[0-9a-f]{32}/own/0+-0+-0+/~', (string) $named[1]);

        $values = null;
        self::assertTrue($this->buffer()->flush(function (Batch $batch) use (&$values): bool {
            $values = array_map(static fn (Record $record): array => $record->values, iterator_to_array($batch));

            return true;
        }, 'own'));
        self::assertSame([['n' => 1], ['n' => 2]], $values);
    }

    #[Test]
    public function it_is_not_done_while_the_bucket_s_rate_holds_something_back(): void
    {
        $this->spool->buckets = ['limited' => ['rate_limit' => ['max' => 2, 'every' => 3600]]];
        $this->add('limited', 1, 2);
        self::assertTrue($this->buffer()->flush(static fn (iterable $rows): bool => true, 'limited'));
        $this->add('limited', 3);
        self::assertFalse($this->buffer()->flush(static fn (iterable $rows): bool => true, 'limited'));
    }

    #[Test]
    public function a_file_has_as_many_rows_as_the_batch_or_else_a_thousand(): void
    {
        $this->add('declared', ...range(1, 5));
        $this->add('own', ...range(1, 1001));

        self::assertSame([2, 2, 1], $this->sizes('declared'));
        self::assertSame([1000, 1], $this->sizes('own'));
    }

    #[Test]
    public function without_a_name_each_bucket_without_a_sink_is_flushed_despite_a_failing_one(): void
    {
        $this->add('a', 1);
        $this->add('declared', 2);
        $this->add('own', 3);
        $this->spool->add(1);
        $seen = [];
        $callback = function (array $rows, string $bucket) use (&$seen): bool {
            $seen[] = $bucket;

            return $bucket === 'a' ? throw new RuntimeException('not today') : true;
        };

        self::assertSame('not today', $this->failureOf(fn () => $this->buffer()->flush($callback))->getMessage());
        self::assertSame(['a', 'declared', 'own'], $seen);
        self::assertCount(1, $this->spool->logged);
        self::assertMatchesRegularExpression("/^spool: .*'a' .*\\bnot today\\b/", $this->spool->logged[0]);
        self::assertTrue($this->buffer()->flush(static fn (array $rows): bool => true));
        self::assertSame(0, $this->spool->count(), 'It leaves a bucket with a sink alone.');
    }

    #[Test]
    public function a_failure_is_tried_again_at_once_since_the_schedule_is_the_caller_s(): void
    {
        $this->add('own', 1);

        foreach ([1, 2, 3, 4, 5, 6] as $_) {
            self::assertFalse($this->buffer()->flush(static fn (array $rows): bool => false, 'own'));
        }

        $status = $this->spool->run(StatusCommand::class);
        self::assertMatchesRegularExpression('/^own: .* 6 .*flush\(\)/m', $status->out);
        Snapshot::assertPrinted('spool:status', 'a callback fails', $status->out);
        Snapshot::assertPrinted('spool:health', 'a callback fails', $this->spool->run(HealthCommand::class)->out);
        self::assertTrue($this->buffer()->flush(static fn (array $rows): bool => true, 'own'));
        self::assertDoesNotMatchRegularExpression('/^own: /m', $this->spool->run(StatusCommand::class)->out);
    }

    #[Test]
    public function a_bucket_with_a_sink_is_refused_before_anything_is_handed_over(): void
    {
        $this->spool->add(1);
        $failure = $this->failureOf(fn () => $this->buffer()->flush(
            static fn (string $file): bool => self::fail('It was called.'),
            'api-events',
        ));

        self::assertSame(InvalidBucket::hasSink('api-events', 'database')->getMessage(), $failure->getMessage());
        self::assertInstanceOf(InvalidBucket::class, $failure);
    }

    /** @return iterable<string, array{callable, InvalidCallback}> */
    public static function unusable(): iterable
    {
        yield 'no parameter' => [static fn (): bool => true, InvalidCallback::takesNothing()];
        yield 'a number' => [static fn (int $n): bool => true, InvalidCallback::takes('int')];
        yield 'void' => [static function (string $file): void {}, InvalidCallback::returnsNothing('void')];
        yield 'null' => [static fn (string $file) => null, InvalidCallback::answered('null', 1)];
        yield 'a number of rows' => [static fn (string $file): int => 1, InvalidCallback::answered('int', 1)];
    }

    #[Test]
    #[DataProvider('unusable')]
    public function a_callback_that_says_nothing_of_the_events_takes_none(
        callable $callback,
        InvalidCallback $expected,
    ): void {
        $this->add('own', 1);
        $failure = $this->failureOf(fn () => $this->buffer()->flush($callback, 'own'));

        self::assertInstanceOf(InvalidCallback::class, $failure);
        self::assertSame($expected->getMessage(), $failure->getMessage());
        self::assertSame([1], $this->sizes('own'));
    }

    #[Test]
    public function the_commands_leave_a_bucket_without_a_sink_to_its_callback(): void
    {
        $this->add('declared', 1);
        $flushed = $this->spool->run(FlushCommand::class);
        self::assertSame(0, $flushed->exit);
        self::assertMatchesRegularExpression('/\Aapi-events: .*\n\z/', $flushed->out);
        $named = $this->spool->run(FlushCommand::class, ['bucket' => 'declared']);
        self::assertSame(2, $named->exit);
        self::assertStringContainsString("'declared'", $named->err);
        Snapshot::assertPrinted('spool:flush', 'a bucket has no sink', $named->err);
        self::assertSame(0, $this->spool->run(WorkCommand::class, ['--stop-when-empty' => true])->exit);
        self::assertSame([1], $this->sizes('declared'));
    }

    #[Test]
    public function a_worker_syncs_a_bucket_without_a_sink_and_delivers_none_of_it(): void
    {
        $this->spool->buckets = ['own' => ['durability' => 'interval']];
        $this->add('own', 1);
        self::assertSame(0, $this->spool->run(WorkCommand::class, ['--stop-when-empty' => true])->exit);
        self::assertSame([1], $this->sizes('own'));
    }

    #[Test]
    public function health_tells_of_events_that_no_callback_has_come_for(): void
    {
        $this->add('own', 1);
        self::assertCount(1, $this->fatal(0), 'It is not known yet that a callback is to come.');
        self::assertSame([1], $this->sizes('own'));
        self::assertSame([], $this->fatal(0));
        $this->add('own', 2);
        self::assertSame([], $this->fatal(0));
        self::assertStringContainsString("'own'", implode(' ', $this->fatal(600)));
    }

    #[Test]
    public function an_append_that_fails_where_there_is_no_sink_throws(): void
    {
        $this->spool->buckets = ['own' => ['max_bytes' => 65_536]];
        $failure = $this->failureOf(function (): void {
            for ($n = 0; $n < 200; $n++) {
                $this->buffer()->buffer(['payload' => ['text' => str_repeat('x', 1000)]], 'own');
            }
        });

        self::assertInstanceOf(UnableToAppend::class, $failure);
        self::assertSame(AppendFailure::Quota, $failure->failure);
        self::assertStringContainsString("'own'", $failure->getMessage());
    }

    /** @return iterable<string, array{int|DateInterval|DateTimeImmutable|null, int}> */
    public static function ages(): iterable
    {
        yield 'seconds' => [0, 2];
        yield 'an interval' => [new DateInterval('PT1H'), 0];
        yield 'a moment before' => [new DateTimeImmutable('@1'), 0];
        yield 'as configured' => [null, 0];
    }

    #[Test]
    #[DataProvider('ages')]
    public function clean_removes_events_delivered_longer_ago(
        int|DateInterval|DateTimeImmutable|null $olderThan,
        int $removed,
    ): void {
        foreach ([1, 2, 3] as $n) {
            $this->add('own', $n);
            self::assertSame([1], $this->sizes('own'));
        }

        $this->add('own', 4);
        self::assertSame($removed, $this->buffer()->clean(olderThan: $olderThan));
        self::assertSame([1], $this->sizes('own'), 'What was not delivered stays.');
    }

    #[Test]
    public function clean_refuses_an_age_that_is_none(): void
    {
        Sentence::assertNames(['-60'], $this->failureOf(fn () => $this->buffer()->clean(-60))->getMessage());
    }

    private function buffer(): CallbackBuffer
    {
        return new CallbackBuffer($this->spool->runtime());
    }

    private function add(string $bucket, int ...$numbers): void
    {
        $this->buffer()
            ->bucket($bucket)
            ->addMany(array_map(static fn (int $n): array => ['n' => $n], array_values($numbers)));
    }

    /** @return list<int> rows of each file that is handed over */
    private function sizes(string $bucket): array
    {
        $sizes = [];
        self::assertTrue($this->buffer()->flush(function (string $file) use (&$sizes): bool {
            $sizes[] = count((array) file($file));

            return true;
        }, $bucket));

        return $sizes;
    }

    /** @return list<string> */
    private function fatal(int $secondsLater): array
    {
        $clock = new SteppingClock;
        $clock->sleep($secondsLater * 1_000_000);
        $problems = (new Health($this->spool->runtime($clock)))->findings();

        return array_values(array_map(
            static fn ($problem): string => "{$problem->message} {$problem->fix}",
            array_filter(
                $problems,
                static fn ($problem): bool => $problem->fatal && str_contains($problem->subject, 'own'),
            ),
        ));
    }

    private function failureOf(callable $work): Throwable
    {
        try {
            $work();
        } catch (Throwable $e) {
            return $e;
        }

        self::fail('Nothing was thrown.');
    }
}

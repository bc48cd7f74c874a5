<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use DateTimeImmutable;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\Services\Backends;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Tests\Fault\Support\SetClock;
use Headroom\Tests\Laravel\Support\BrokenLog;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Psr\Log\AbstractLogger;
use Psr\Log\LoggerInterface;
use RuntimeException;
use Stringable;
use Symfony\Component\Process\Process;

/**
 * Nothing delivers a bucket, and the appends notice it. The first event is appended now; the clock of later appends
 * is ahead, as the modification times are the kernel's.
 */
final class UndeliveredWarningTest extends SpoolTestCase
{
    private const BUCKET = 'api-events';

    /** @phpstan-impure */
    private function later(int $seconds, ?LoggerInterface $log = null, string $bucket = self::BUCKET): SetClock
    {
        $clock = new SetClock((time() + $seconds) * 1_000_000);
        $this->foundAt(time() + $seconds - 90, $bucket);
        $this->spool->runtime($clock, $log)->buffer()->bucket($bucket)->add(['event' => 'later']);

        return $clock;
    }

    /** An append before it has found the same: a first finding is not reported. */
    private function foundAt(int $time, string $bucket = self::BUCKET): void
    {
        touch((new Layout($this->spool->path, $bucket))->lateFile, $time);
    }

    /** @return list<string> */
    private function logged(): array
    {
        return $this->spool->logged;
    }

    /** @param array<string, mixed> $options */
    private function with(array $options): void
    {
        $this->spool->buckets = [self::BUCKET => ['sink' => 'database', 'table' => 'api_events', ...$options]];
    }

    private function layout(): Layout
    {
        return new Layout($this->spool->path, self::BUCKET);
    }

    #[Test]
    public function a_bucket_that_no_process_has_ever_flushed_is_reported_once(): void
    {
        $this->spool->add(1);
        $this->later(280);
        self::assertSame([], $this->logged());

        $this->later(12 * 60);
        $this->later(12 * 60 + 1);
        $this->later(21 * 60);
        self::assertSame([
            "spool: Nothing has delivered bucket 'api-events' for 12 minutes. Run `schedule:work` on your own machine,"
                .' or let cron run `schedule:run` every minute on each server; see docs/errors.md#nothing-delivers.',
        ], $this->logged());

        $this->later(22 * 60 + 2);
        self::assertCount(2, $this->logged());
        self::assertStringContainsString('for 22 minutes', $this->logged()[1]);
    }

    #[Test]
    public function the_message_has_at_most_300_characters_and_its_anchor_exists(): void
    {
        $long = str_repeat('b', 64);
        $this->spool->buckets = [$long => ['sink' => 'database', 'table' => 'api_events']];
        $this->spool->add(1, $long);
        $this->later(60 * 1_000_000, bucket: $long);

        self::assertLessThanOrEqual(300, strlen($this->logged()[0]));
        $page = (string) file_get_contents(dirname(__DIR__, 2).'/docs/errors.md');
        self::assertMatchesRegularExpression('/^## nothing-delivers\n/m', $page);
    }

    #[Test]
    public function a_scheduler_that_has_stopped_is_reported_from_its_last_flush_on(): void
    {
        $this->spool->add(1);
        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
        self::assertTrue(touch($this->layout()->flushLock, time() - 3600));
        // The first event after the flush begins a segment, so it is young.
        $this->spool->add(2);
        self::assertSame([], $this->logged());

        $this->later(400);
        self::assertStringContainsString('for 66 minutes', $this->logged()[0]);
    }

    #[Test]
    public function a_flush_ends_the_warnings_also_when_it_finds_no_event(): void
    {
        $this->spool->add(1);
        self::assertTrue(touch($this->layout()->flushLock, time() - 3600));
        $this->later(400);
        self::assertCount(1, $this->logged());

        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
        self::assertTrue(touch($this->layout()->flushLock, time() - 3600));
        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
        clearstatcache();
        self::assertLessThan(60, time() - (int) filemtime($this->layout()->flushLock));
        $this->spool->add(1);
        $this->later(290);
        self::assertCount(1, $this->logged());
    }

    #[Test]
    public function events_that_wait_on_purpose_are_not_reported(): void
    {
        foreach ([
            'pause' => function (): void {
                $this->spool->runtime()->store()->pauses()->pause(self::BUCKET, new DateTimeImmutable);
            },
            'schedule' => fn () => $this->with(['schedule' => sprintf('0 0 1 %d *', (idate('n') + 5) % 12 + 1)]),
            'autoflush' => fn () => $this->spool->settings['autoflush'] = 60,
            'undeclared' => fn () => $this->spool->buckets = ['other' => ['sink' => 'memory']],
        ] as $reason => $prepare) {
            $this->spool->remove();
            $this->setUp();
            $this->spool->add(1);
            $prepare();
            $this->later(3600);

            self::assertSame([], $this->logged(), $reason);
        }
    }

    #[Test]
    public function a_schedule_that_was_missed_and_a_day_without_autoflush_are_reported(): void
    {
        $this->spool->add(1);
        $this->with(['schedule' => '*/10 * * * *']);
        $this->later(20 * 60);
        self::assertCount(1, $this->logged());

        $this->with(['schedule' => true]);
        $this->spool->settings['autoflush'] = 60;
        $this->later(86_400 + 60);
        self::assertCount(2, $this->logged());
    }

    #[Test]
    public function a_flush_that_takes_long_is_not_reported(): void
    {
        $this->spool->add(1);
        $lease = $this->spool->runtime()->store()->claim(self::BUCKET);
        self::assertNotNull($lease);
        self::assertTrue(touch($this->layout()->flushLock, time() - 3600));
        $this->later(400);

        self::assertSame([], $this->logged());
    }

    #[Test]
    public function of_a_sink_that_fails_only_the_flush_writes(): void
    {
        $this->spool->add(1);
        $this->spool->database()->statement('drop table api_events');
        $this->spool->database()->statement('drop table spool_ledger');
        self::assertSame(1, $this->spool->run(FlushCommand::class)->exit);
        $written = $this->logged();
        self::assertStringContainsString('is not delivered', $written[0]);

        // The backoff keeps the next flush from asking the sink, but not from looking at the bucket.
        self::assertTrue(touch($this->layout()->flushLock, time() - 3600));
        self::assertSame(1, $this->spool->run(FlushCommand::class)->exit);
        $this->later(290);
        self::assertSame($written, $this->logged());
    }

    #[Test]
    public function a_clock_that_jumps_causes_at_most_one_line(): void
    {
        $this->spool->add(1);
        $this->later(-86_400);
        self::assertSame([], $this->logged());

        $this->later(30 * 86_400);
        $this->later(30 * 86_400 + 1);
        self::assertCount(1, $this->logged());

        // The clock is right again: the time of the last line lies ahead.
        $this->later(10);
        $this->later(400);
        $this->later(401);
        self::assertCount(2, $this->logged());
    }

    #[Test]
    public function a_log_that_throws_does_not_break_the_append(): void
    {
        $this->spool->add(1);
        $own = (string) ini_set('error_log', $this->spool->file('php.log'));

        try {
            $this->later(400, new BrokenLog);
        } finally {
            ini_set('error_log', $own);
        }

        self::assertSame(2, $this->spool->runtime()->status()->pending());
        self::assertMatchesRegularExpression(
            '/Nothing has delivered .*No space left on device/',
            (string) file_get_contents($this->spool->file('php.log')),
        );
    }

    #[Test]
    public function a_process_without_a_log_leaves_the_line_to_others(): void
    {
        $this->spool->add(1);
        $settings = AppendConfig::fromArray(['path' => $this->spool->path, 'buckets' => $this->spool->buckets]);
        $clock = new SetClock((time() + 400) * 1_000_000);
        $services = new SpoolServices(static fn (): AppendConfig => $settings, new Backends(
            static fn (): never => throw new RuntimeException('No sink is needed.'),
        ), clock: $clock);
        $services->buffer()->bucket(self::BUCKET)->add(['event' => 'of a collector']);
        self::assertFileDoesNotExist($this->layout()->warnedFile);

        $this->later(400);
        self::assertCount(1, $this->logged());
    }

    #[Test]
    public function an_invalid_configuration_does_not_break_the_append(): void
    {
        $this->spool->add(1);
        $this->with(['batch' => 0]);
        $this->later(400);
        $this->with(['batch' => 1]);

        self::assertSame(2, $this->spool->runtime()->status()->pending());
    }

    #[Test]
    public function a_log_that_is_a_late_bucket_itself_does_not_go_in_circles(): void
    {
        $this->spool->add(1);
        $log = new class extends AbstractLogger
        {
            public ?SpoolServices $runtime = null;

            public function log($level, string|Stringable $message, array $context = []): void
            {
                $this->runtime?->buffer()->bucket('api-events')->add(['event' => (string) $message]);
            }
        };
        $this->foundAt(time() + 300);
        $log->runtime = $this->spool->runtime(new SetClock((time() + 400) * 1_000_000), $log);
        $log->runtime->buffer()->bucket(self::BUCKET)->add(['event' => 'later']);

        self::assertSame(3, $this->spool->runtime()->status()->pending());
    }

    #[Test]
    #[TestWith(['a directory'])]
    #[TestWith(['a link'])]
    public function without_the_file_that_remembers_the_line_nothing_is_written(string $kind): void
    {
        $this->spool->add(1);
        $kind === 'a link'
            ? symlink($this->spool->file('elsewhere'), $this->layout()->warnedFile)
            : mkdir($this->layout()->warnedFile);
        $this->later(400);
        $this->later(401);

        self::assertSame([], $this->logged());
        self::assertFileDoesNotExist($this->spool->file('elsewhere'));
        self::assertSame(3, $this->spool->runtime()->status()->pending());
    }

    #[Test]
    public function a_bucket_of_an_earlier_version_without_a_lock_file_is_reported(): void
    {
        $this->spool->add(1);
        unlink($this->layout()->flushLock);
        $this->later(400);

        self::assertStringContainsString('for 6 minutes', $this->logged()[0]);
    }

    #[Test]
    public function the_oldest_segment_counts_when_the_appended_one_is_young(): void
    {
        $this->spool->settings['segment_bytes'] = 65_536;
        $this->spool->runtime()->buffer()->bucket(self::BUCKET)->add(['event' => str_repeat('x', 70_000)]);
        $clock = new SetClock((time() + 400) * 1_000_000);
        $this->foundAt(time() + 300);
        $bucket = $this->spool->runtime($clock)->buffer()->bucket(self::BUCKET);
        $bucket->add(['event' => 'begins the second segment']);
        $bucket->add(['event' => 'goes into the second segment']);

        self::assertCount(1, $this->logged());
    }

    #[Test]
    public function damaged_and_foreign_segments_are_no_reason_to_fail(): void
    {
        $this->spool->add(1);
        [$segment] = $this->layout()->files();
        file_put_contents($segment, str_repeat("\0", 40));
        $this->later(400);

        self::assertSame([], $this->logged());
    }

    #[Test, Group('day-1')]
    public function a_hundred_processes_at_once_write_one_line(): void
    {
        $this->spool->add(1);
        self::assertTrue(touch($this->layout()->flushLock, time() - 3600));
        $this->foundAt(time() + 300);
        $log = $this->spool->file('log');
        $children = [];
        $start = microtime(true) + 0.5;

        for ($i = 0; $i < 100; $i++) {
            $pid = pcntl_fork();

            if ($pid === 0) {
                $this->appendAt($start, $log);
                posix_kill((int) getmypid(), SIGKILL);
            }

            $children[] = $pid;
        }

        foreach ($children as $pid) {
            pcntl_waitpid($pid, $status);
        }

        self::assertSame(101, $this->spool->runtime()->status()->pending());
        self::assertCount(1, (array) file($log));
    }

    private function appendAt(float $start, string $log): void
    {
        $logger = new class($log) extends AbstractLogger
        {
            public function __construct(private readonly string $file) {}

            public function log($level, string|Stringable $message, array $context = []): void
            {
                file_put_contents($this->file, "{$message}\n", FILE_APPEND);
            }
        };
        $buffer = $this->spool->runtime(new SetClock((time() + 400) * 1_000_000), $logger)->buffer();
        usleep((int) max(0, ($start - microtime(true)) * 1_000_000));
        $buffer->bucket(self::BUCKET)->add(['event' => 'later']);
    }

    #[Test]
    public function a_long_process_sees_the_flush_of_another_one(): void
    {
        $this->spool->add(1);
        $lock = $this->layout()->flushLock;
        self::assertTrue(touch($lock, time() - 290));
        $clock = new SetClock(time() * 1_000_000);
        $bucket = $this->spool->runtime($clock)->buffer()->bucket(self::BUCKET);
        $bucket->add(['event' => 'puts the time into the cache']);
        // The cache is that of this process, so another one has to set the time.
        (new Process(['touch', '-d', '+390 seconds', $lock]))->mustRun();
        $clock->sleep(400_000_000);
        $bucket->add(['event' => 'later']);

        self::assertSame([], $this->logged());
    }
}

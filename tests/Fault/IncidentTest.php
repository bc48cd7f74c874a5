<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Spool\Append\Notifier;
use Headroom\Spool\Append\RefusalIncidents;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Events\BufferRefused;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Health\FunctionsAreDisabled;
use Headroom\Spool\RefusalOutcome;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\UnableToAppend;
use Headroom\Spool\Worker\FailureLog;
use Headroom\Tests\Fault\Support\BrokenLogger;
use Headroom\Tests\Fault\Support\Child;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\FileLogger;
use Headroom\Tests\Fault\Support\RecursiveLogger;
use Headroom\Tests\Fault\Support\SetClock;
use Headroom\Tests\Fault\Support\World;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use Psr\Log\LoggerInterface;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * Once per incident, and never in silence.
 */
#[Group('snapshot')]
final class IncidentTest extends FaultTestCase
{
    /** So much free disk no machine has: a pebibyte. */
    private const NO_ROOM = 1_125_899_906_842_624;

    private const EVENT = '{"id":"1","body":"b"}';

    #[Test, Group('day-2')]
    public function a_thousand_refused_events_of_several_processes_are_one_line_and_one_event(): void
    {
        $world = $this->world->withOptions(['overflow' => 'drop'], self::NO_ROOM);
        $this->makeBucket($world);
        $children = array_map(
            fn (int $n): Child
                => $this->child('append by policy', ['events', ...self::ids("{$n}-", 250)], world: $world),
            [1, 2, 3, 4],
        );

        foreach ($children as $child) {
            self::assertSame([], $child->result()['thrown']);
        }

        self::assertSame(['reserve' => 1000], $world->status()->backpressure->droppedByReason);
        self::assertCount(1, $world->logged());
        self::assertMatchesRegularExpression("/^error: .*'events'.*\breserve\b.*\b1\b/", $world->logged()[0]);
        Snapshot::assertPrinted('log of incidents', 'one begins', $world->logged()[0]);
        self::assertSame(['events reserve dropped 1'], $world->dispatched());
    }

    #[Test]
    public function a_new_reason_within_an_incident_is_told_too(): void
    {
        $this->makeBucket($this->world);
        $incidents = $this->world->runtime()->writerFactory()->incidents();
        $full = UnableToAppend::wroteTooLittle('/slot', 0, 10, 'No space left on device');

        foreach ([
            RefusalOutcome::Direct, RefusalOutcome::RolledBack, RefusalOutcome::Direct, RefusalOutcome::RolledBack,
        ] as $outcome) {
            $incidents->note('events', $full, $outcome, 2);
        }

        $incidents->note('events', $this->refusal(), RefusalOutcome::Direct, 3);
        self::assertSame(
            ['events disk_full direct 2', 'events disk_full rolled_back 2', 'events no_free_slot direct 3'],
            $this->world->dispatched(),
        );
        self::assertSame(['rolled_back' => 4], $this->world->status()->backpressure->droppedByReason);
        self::assertSame(7, $this->world->status()->backpressure->direct);
    }

    #[Test]
    public function a_minute_without_a_refusal_ends_it_and_the_next_flush_tells_so_once(): void
    {
        $this->makeBucket($this->world);
        $clock = new SetClock((new SystemClock)->micros());
        $runtime = $this->world->withOptions(['overflow' => 'drop'])->runtime($clock);
        $runtime->writerFactory()->refused('events', $this->refusal(), self::EVENT, 1);
        $clock->sleep(59_000_000);
        $runtime->writerFactory()->refused('events', $this->refusal(), self::EVENT, 1);
        $clock->sleep(59_000_000);
        $this->noteFlush($this->world, $clock);
        self::assertCount(1, $this->world->logged(), 'It is still open.');

        $clock->sleep(1_000_000);
        $this->noteFlush($this->world, $clock);
        $this->noteFlush($this->world, $clock);
        self::assertCount(2, $this->world->logged());
        self::assertMatchesRegularExpression(
            "/^info: .*'events'.*\bno_free_slot\b.*\b59\b.*\b2\b/",
            $this->world->logged()[1],
        );
        Snapshot::assertPrinted('log of incidents', 'one is over', $this->world->logged()[1]);
        self::assertSame(['no_free_slot' => 2], $this->world->status()->backpressure->droppedByReason);
        self::assertNull($this->world->status()->backpressure->refusing);
    }

    #[Test]
    public function without_a_flush_the_next_refusal_ends_an_incident_and_begins_another(): void
    {
        $this->makeBucket($this->world);
        $clock = new SetClock((new SystemClock)->micros());
        $runtime = $this->world->withOptions(['overflow' => 'drop'])->runtime($clock);
        $runtime->writerFactory()->refused('events', $this->refusal(), self::EVENT, 1);
        $clock->sleep(61_000_000);
        $runtime->writerFactory()->refused('events', $this->refusal(), self::EVENT, 1);

        self::assertSame(
            ['error', 'info', 'error'],
            array_map(static fn (string $line): string => explode(':', $line)[0], $this->world->logged()),
        );
        self::assertCount(2, $this->world->dispatched());
    }

    #[Test]
    public function a_drop_that_the_log_cannot_take_is_in_phps_own(): void
    {
        $said = $this->saidToPhp(
            fn () => $this->incidents(new BrokenLogger)->note('events', $this->refusal(), RefusalOutcome::Dropped, 3),
        );

        self::assertMatchesRegularExpression("/'events'.*\bno_free_slot\b.*\b3\b.*broken on purpose/s", $said);
        Snapshot::assertPrinted(
            'log of incidents',
            'neither counted nor logged',
            str_replace(
                Permissions::userName(Permissions::currentUser()).' (uid',
                'USER (uid',
                (string) strstr($said, 'spool:'),
            ),
        );
    }

    #[Test]
    public function a_log_that_is_itself_buffered_and_refused_does_not_loop(): void
    {
        $logger = new RecursiveLogger;
        // Nothing can be counted where there is no bucket, so that each of them is told.
        $incidents = $this->incidents($logger);
        $logger->whenLogged = fn () => $incidents->note('events', $this->refusal(), RefusalOutcome::Dropped, 1);
        $said = $this->saidToPhp(fn () => $incidents->note('events', $this->refusal(), RefusalOutcome::Dropped, 3));

        self::assertSame(1, $logger->times);
        self::assertSame(1, preg_match_all('/\bno_free_slot\b\D* 1\b/', $said));
    }

    #[Test, Group('day-1')]
    public function refusals_that_cannot_be_counted_have_one_line_a_minute_with_their_number(): void
    {
        $clock = new SetClock((new SystemClock)->micros());
        $note = fn (RefusalOutcome $outcome, int $count, string $bucket = 'events') => $this->incidents(
            new FileLogger("{$this->world->directory}/log"),
            clock: $clock,
        )->note($bucket, $this->refusal(), $outcome, $count);
        $note(RefusalOutcome::Direct, 1);
        $note(RefusalOutcome::Direct, 20);
        $note(RefusalOutcome::Direct, 300);
        $lines = count($this->world->logged());

        // Another outcome and another bucket have a line of their own.
        $note(RefusalOutcome::Thrown, 1);
        $note(RefusalOutcome::Direct, 1, 'others');
        self::assertSame([1, 3], [$lines, count($this->world->logged())]);

        $clock->sleep(60_000_000);
        $note(RefusalOutcome::Direct, 4000);
        self::assertCount(4, $this->world->logged());
        self::assertStringContainsString(': 4320 went to the sink directly', $this->world->logged()[3]);
    }

    #[Test]
    public function lost_events_that_cannot_be_counted_have_a_line_each(): void
    {
        $incidents = $this->incidents(new FileLogger("{$this->world->directory}/log"));

        foreach ([RefusalOutcome::Dropped, RefusalOutcome::RolledBack] as $outcome) {
            $incidents->note('events', $this->refusal(), $outcome, 1);
            $incidents->note('events', $this->refusal(), $outcome, 7);
        }

        self::assertCount(4, $this->world->logged());
    }

    /** @return iterable<string, array{string}> */
    public static function disabledFunctions(): iterable
    {
        // Composer's autoloader needs file_exists().
        foreach (array_diff(
            ['sys_get_temp_dir', 'is_file', ...FunctionsAreDisabled::NEEDED],
            ['file_exists'],
        ) as $function) {
            yield $function => [$function];
        }
    }

    /** An exception here would make the application write an event again that its sink has. */
    #[Test]
    #[DataProvider('disabledFunctions')]
    public function a_host_that_disables_a_function_gets_each_line(string $function): void
    {
        $code = <<<'PHP'
            require $argv[1];
            $incidents = new Headroom\Spool\Append\RefusalIncidents(
                Headroom\Spool\SpoolConfig::fromArray(['path' => $argv[2]]),
                new Headroom\Core\SystemClock,
                new Headroom\Spool\Append\Notifier(fn () => new Headroom\Tests\Fault\Support\FileLogger($argv[3])),
            );
            $refusal = Headroom\Spool\UnableToAppend::noFreeSlot('/active', 1024);
            $incidents->note('events', $refusal, Headroom\Spool\RefusalOutcome::Direct, 1);
            PHP;
        $process = new Process([
            PHP_BINARY, '-d', 'opcache.enable_cli=0', '-d', "disable_functions={$function}", '-r', $code,
            dirname(__DIR__, 2).'/vendor/autoload.php',
            "{$this->world->directory}/nowhere", "{$this->world->directory}/log",
        ]);

        self::assertSame([0, ''], [$process->run(), $process->getOutput().$process->getErrorOutput()]);
        self::assertCount(1, $this->world->logged());
    }

    #[Test]
    public function a_listener_that_fails_changes_nothing_for_the_caller(): void
    {
        $incidents = $this->incidents(
            new FileLogger("{$this->world->directory}/log"),
            static fn (object $event): never => throw new RuntimeException(
                'no '.($event instanceof BufferRefused ? $event->count : $event::class),
            ),
        );
        $incidents->note('events', $this->refusal(), RefusalOutcome::Dropped, 3);

        self::assertCount(2, $this->world->logged());
        self::assertMatchesRegularExpression(
            '~'.preg_quote(BufferRefused::class, '~').'.*no 3~',
            $this->world->logged()[1],
        );
    }

    private function makeBucket(World $world): void
    {
        // With a reserve that there is, so that there is something to count in and no slot left.
        $this->world->append(['first']);
        $this->flush();
        self::assertSame(0, $world->status()->events->pending);
    }

    private function noteFlush(World $world, SetClock $clock): void
    {
        (new FailureLog($world->runtime($clock)))->note(new FlushReport('events'));
    }

    private function refusal(): UnableToAppend
    {
        return UnableToAppend::noFreeSlot('/active', 1024);
    }

    /** @param ?Closure(object): void $dispatch */
    private function incidents(
        LoggerInterface $logger,
        ?Closure $dispatch = null,
        Clock $clock = new SystemClock,
    ): RefusalIncidents {
        return new RefusalIncidents(
            SpoolConfig::fromArray(['path' => "{$this->world->directory}/nowhere"]),
            $clock,
            new Notifier(static fn (): LoggerInterface => $logger, $dispatch),
        );
    }

    /** @param callable(): void $work */
    private function saidToPhp(callable $work): string
    {
        $path = "{$this->world->directory}/php.log";
        $before = ini_set('error_log', $path);

        try {
            $work();
        } finally {
            ini_set('error_log', (string) $before);
        }

        return (string) file_get_contents($path);
    }
}

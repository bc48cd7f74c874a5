<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Process\Programs;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Worker;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Exception\ProcessSignaledException;

/**
 * Listeners in real processes, some of which end their process between two batches.
 */
final class ListenersThatEndTest extends ApplicationTestCase
{
    private ?Worker $worker = null;

    protected function setUp(): void
    {
        parent::setUp();
        $this->app->write('routes/console.php', $this->app->read('routes/console.php').<<<'PHP'

            use Headroom\Spool\Events;
            use Illuminate\Support\Facades\Event;

            final class Insert
            {
                public function handle(Headroom\Core\Record $event): void
                {
                    DB::table('api_events')->insert(['event' => $event->values['event']]);
                }
            }

            Event::listen([
                Events\BatchFlushed::class,
                Events\EventsDeadLettered::class,
                Events\FlushFailed::class,
                Events\WorkerStopping::class,
            ], function (object $event): void {
                $line = class_basename($event).' '.json_encode($event);
                file_put_contents(storage_path('heard'), "{$line}\n", FILE_APPEND);
            });

            Event::listen(Events\BatchFlushed::class, function (): void {
                match (is_file(storage_path('end')) ? file_get_contents(storage_path('end')) : '') {
                    'kill' => posix_kill(getmypid(), SIGKILL),
                    'exit' => exit(0),
                    'stop' => posix_kill(getmypid(), SIGTERM),
                    default => null,
                };
            });

            PHP);
    }

    protected function tearDown(): void
    {
        $this->worker?->remove();
        parent::tearDown();
    }

    /** @return iterable<string, array{string, string, list<int>}> settings, the end, and events of each batch */
    public static function ends(): iterable
    {
        $database = "'sink' => 'database', 'table' => 'api_events', 'batch' => 2";
        $singles = "'sink' => 'handler', 'handler' => Insert::class, 'tries' => 1";

        yield 'exactly once, killed' => [$database, 'kill', [2, 2, 1]];
        yield 'exactly once, exit()' => [$database, 'exit', [2, 2, 1]];
        yield 'one by one, killed' => [$singles, 'kill', [1, 1, 1, 1, 1]];
        yield 'one by one, exit()' => [$singles, 'exit', [1, 1, 1, 1, 1]];
    }

    /** @param list<int> $batches */
    #[Test]
    #[DataProvider('ends')]
    #[RequiresPhpExtension('posix')]
    public function a_process_that_a_listener_ends_has_delivered_its_batch_once(
        string $settings,
        string $end,
        array $batches,
    ): void {
        $this->configure("'api-events' => [{$settings}]");
        self::assertSame(0, $this->app->artisan('app:buffer', '5')->exit);
        $this->app->write('storage/end', $end);

        foreach ($batches as $number => $events) {
            self::assertSame('', $this->endedFlush());
            self::assertCount(array_sum(array_slice($batches, 0, $number + 1)), $this->rows());
        }

        $this->app->write('storage/end', '');
        $flush = json_decode($this->app->artisan('spool:flush', '--json')->out, true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($flush);
        self::assertIsArray($flush['buckets'] ?? null);
        self::assertIsArray($flush['buckets'][0] ?? null);
        self::assertSame([0, 0], [$flush['buckets'][0]['delivered'], $flush['buckets'][0]['dead']]);
        self::assertSame(
            ['console-0', 'console-1', 'console-2', 'console-3', 'console-4'],
            array_column($this->rows(), 'event'),
        );
        self::assertSame($batches, array_column($this->heard('BatchFlushed'), 'events'));
        self::assertSame([[], []], [$this->heard('FlushFailed'), $this->heard('EventsDeadLettered')]);
    }

    #[Test]
    #[RequiresPhpExtension('pcntl')]
    public function each_worker_process_of_a_supervisor_reports_that_it_stops(): void
    {
        $this->configure(
            "'api-events' => ['sink' => 'database', 'table' => 'api_events'], "
            ."'audit' => ['sink' => 'database', 'table' => 'api_events']",
        );
        $this->app->artisan('app:buffer', '2');
        $this->app->artisan('app:buffer', '3', 'audit');
        $this->worker = $worker = Worker::start($this->app, '--sleep=0.1');
        $worker->await(fn (): bool => count($this->heard('BatchFlushed')) === 2, 'reported both batches');
        $worker->signal(SIGTERM);

        self::assertSame(0, $worker->exitCode(), $worker->output());
        $batches = array_column($this->heard('BatchFlushed'), 'events', 'bucket');
        ksort($batches);
        self::assertSame(['api-events' => 2, 'audit' => 3], $batches);
        $stops = $this->heard('WorkerStopping');
        usort($stops, static fn (array $one, array $other): int => $one['buckets'] <=> $other['buckets']);
        self::assertSame([
            ['buckets' => ['api-events'], 'reason' => 'stopped'],
            ['buckets' => ['audit'], 'reason' => 'stopped'],
        ], $stops);
        self::assertCount(5, $this->rows());
    }

    #[Test]
    #[RequiresPhpExtension('pcntl')]
    #[RequiresPhpExtension('posix')]
    public function a_signal_during_a_listener_stops_the_worker_after_the_batch(): void
    {
        $this->configure("'api-events' => ['sink' => 'database', 'table' => 'api_events', 'batch' => 2]");
        $this->app->artisan('app:buffer', '2');
        $this->app->write('storage/end', 'stop');
        $this->worker = Worker::start($this->app);

        self::assertSame(0, $this->worker->exitCode(), $this->worker->output());
        self::assertSame([2], array_column($this->heard('BatchFlushed'), 'events'));
        self::assertSame(['stopped'], array_column($this->heard('WorkerStopping'), 'reason'));
    }

    /** @return string what it printed before its end */
    private function endedFlush(): string
    {
        $process = $this->app->process([Programs::php(), 'artisan', '--no-ansi', 'spool:flush', '--json']);

        try {
            $process->run();
        } catch (ProcessSignaledException) {
            // That is what the listener is to do.
        }

        return $process->getOutput();
    }

    private function configure(string $buckets): void
    {
        $this->app->config(
            'spool',
            "['path' => storage_path('buffer'), 'heartbeats' => false, 'buckets' => [{$buckets}]]",
        );
        $this->app->migrate();
    }

    /** @return list<array<string, mixed>> */
    private function rows(): array
    {
        return $this->app->rows('select event from api_events order by id');
    }

    /** @return list<array<mixed>> the members of each event of this class */
    private function heard(string $class): array
    {
        $file = $this->app->path('storage/heard');
        $heard = [];

        foreach (is_file($file) ? (array) file($file, FILE_IGNORE_NEW_LINES) : [] as $line) {
            [$name, $members] = explode(' ', (string) $line, 2);
            $members = json_decode($members, true, flags: JSON_THROW_ON_ERROR);

            if ($name === $class && is_array($members)) {
                $heard[] = $members;
            }
        }

        return $heard;
    }
}

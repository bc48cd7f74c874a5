<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Laravel\Facades\Buffer;
use Headroom\Laravel\Log\SpoolHandler;
use Headroom\Tests\Laravel\Support\LogsOnWorkbench;
use Headroom\Tests\Support\Snapshot;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Support\Facades\Log;
use Monolog\Handler\TestHandler;
use Monolog\Logger;
use Monolog\LogRecord;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use RuntimeException;

/**
 * A line that the buffer refuses goes to the fallback of the log channel `spool`, and breaks nothing that logs it.
 */
#[Group('snapshot')]
final class LogFallbackTest extends TestCase
{
    use LogsOnWorkbench;

    /** So much free disk no machine has: a pebibyte. */
    private const NO_ROOM = 1_125_899_906_842_624;

    #[Test]
    public function a_line_that_the_buffer_refuses_goes_to_the_fallback_and_is_counted(): void
    {
        $on = $this->on(settings: ['min_free_bytes' => self::NO_ROOM]);
        Log::channel('spool')->info('Line one', ['a' => 1]);
        Log::channel('spool')->info('Line two');

        self::assertMatchesRegularExpression(
            '/testing\.INFO: Line one \{"a":1\} \{"not_buffered":".*min_free_bytes/',
            $on->workbench->log(),
        );
        self::assertSame(1, substr_count($on->workbench->log(), 'testing.INFO: Line two'));
        self::assertSame(['reserve' => 2], $on->status()['logs']->backpressure->refusedByReason);
        self::assertSame('', $this->errors());
    }

    #[Test]
    public function without_a_fallback_it_goes_to_phps_own_log_on_one_line(): void
    {
        $this->on(settings: ['min_free_bytes' => self::NO_ROOM], channel: ['fallback' => null]);
        Log::channel('spool')->error("First\nsecond", ['a' => "b\nc"]);

        self::assertMatchesRegularExpression(
            '/^.*testing\.ERROR: First\\\\nsecond \{"a":"b\\\\nc"\} \(.*min_free_bytes.*\)$/m',
            $this->errors(),
        );
    }

    #[Test]
    #[TestWith(['spool'])]
    #[TestWith(['both'])]
    public function a_fallback_that_leads_back_ends_in_phps_own_log(string $fallback): void
    {
        $on = $this->on(settings: ['min_free_bytes' => self::NO_ROOM], channel: ['fallback' => $fallback]);
        $on->workbench->app->make(Repository::class)
            ->set('logging.channels.both', ['driver' => 'stack', 'channels' => ['spool', 'spool']]);
        Log::channel('spool')->error('Round and round');

        self::assertStringContainsString('Round and round', $this->errors());
    }

    #[Test]
    public function a_fallback_that_fails_as_well_ends_in_phps_own_log(): void
    {
        $this->on(settings: ['min_free_bytes' => self::NO_ROOM], channel: ['fallback' => 'broken'])
            ->workbench->app->make(Repository::class)
            ->set('logging.channels.broken', ['driver' => 'single', 'path' => '/proc/nothing/here.log']);
        Log::channel('spool')->error('Nowhere to go');

        $line = (string) preg_replace('/^\[[^]]+\] /', '', $this->errors());
        self::assertSame(
            1,
            preg_match(
                '~\Atesting\.ERROR: Nowhere to go.*min_free_bytes.*(?=There is .*"/proc/nothing")~',
                $line,
                $own,
            ),
        );
        Snapshot::assertPrinted('log channel', 'the fallback fails', $own[0]);
    }

    #[Test]
    public function the_buffers_own_warnings_through_the_same_channel_make_no_circle(): void
    {
        // The first refusal of an incident is told through the application's log, which is this channel.
        $on = $this->on(settings: ['min_free_bytes' => self::NO_ROOM]);
        $on->workbench->app->make(Repository::class)->set('logging.default', 'spool');
        Log::error('The line');

        self::assertSame(1, substr_count($on->workbench->log(), 'testing.ERROR: The line'));
        self::assertSame(1, preg_match_all("/spool: .*'logs' .*\(reserve\)/", $on->workbench->log()));
        self::assertSame(['reserve' => 1], $on->status()['logs']->backpressure->refusedByReason);
    }

    #[Test]
    public function a_line_logged_while_another_is_buffered_goes_to_the_fallback(): void
    {
        $this->on();
        $fake = Buffer::fake();
        $seen = new TestHandler;
        $handler = new SpoolHandler(static fn () => Buffer::bucket('logs'), fallback: $seen);
        $logger = new Logger('plain', [$handler]);
        $rounds = 0;
        // Monolog would let three rounds through before it stops.
        $handler->pushProcessor(static function (LogRecord $record) use ($logger, &$rounds): LogRecord {
            $rounds++;
            $logger->debug('from inside');

            return $record;
        });
        $logger->error('The line');

        self::assertSame(1, $rounds);
        self::assertSame(['The line'], array_column($fake->buffered('logs'), 'message'));
        self::assertSame(['from inside'], array_column($seen->getRecords(), 'message'));
        $why = array_filter(array_column(array_column($seen->getRecords(), 'extra'), 'not_buffered'), is_string(...));
        Snapshot::assertPrinted('log channel', 'another line is being buffered', implode("\n", $why));
    }

    #[Test]
    public function a_processor_that_throws_costs_its_line_the_buffer_and_nothing_else(): void
    {
        $this->on();
        $fake = Buffer::fake();
        $seen = new TestHandler;
        $handler = new SpoolHandler(static fn () => Buffer::bucket('logs'), fallback: $seen);
        $handler->pushProcessor(static fn (): never => throw new RuntimeException('A bad processor'));
        (new Logger('plain', [$handler]))->error('The line');

        self::assertSame([], $fake->buffered());
        self::assertSame(1, $handler->fallbackCount());
        self::assertSame('A bad processor', $seen->getRecords()[0]->extra['not_buffered']);
    }
}

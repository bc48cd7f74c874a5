<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\CleanCommand;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\HealthCommand;
use Headroom\Console\Spool\PauseCommand;
use Headroom\Console\Spool\RestartCommand;
use Headroom\Console\Spool\ResumeCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Console\Spool\WorkCommand;
use Headroom\Core\Position;
use Headroom\Spool\Health\Health;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

#[Group('snapshot')]
final class PauseCommandTest extends SpoolTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->spool->buckets['audit'] = ['sink' => 'file', 'path' => $this->spool->file('audit.ndjson')];
    }

    #[Test]
    public function a_paused_bucket_takes_events_and_delivers_them_once_it_is_resumed(): void
    {
        $this->spool->add(2);
        [$exit, $paused] = $this->said(PauseCommand::class, 'api-events');
        self::assertSame([0, ['api-events']], [$exit, $this->paused()]);
        Snapshot::assertPrinted('spool:pause', 'one bucket', $paused);
        $this->spool->add(3);

        [$exit, $flushed] = $this->said(FlushCommand::class);
        self::assertSame([0, 0], [$exit, $this->spool->count()]);
        self::assertStringContainsString('`spool:resume api-events`', $flushed);
        Snapshot::assertPrinted('spool:flush', 'a bucket is paused', $flushed);

        [$exit, $resumed] = $this->said(ResumeCommand::class, 'api-events');
        self::assertSame([0, []], [$exit, $this->paused()]);
        Snapshot::assertPrinted('spool:resume', 'one bucket', $resumed);
        self::assertSame(0, $this->said(FlushCommand::class)[0]);
        self::assertSame(5, $this->spool->count());
    }

    #[Test]
    public function without_a_name_all_declared_or_filled_buckets_are_paused_and_resumed(): void
    {
        $this->spool->add(1, 'undeclared');

        self::assertSame(0, $this->said(PauseCommand::class)[0]);
        self::assertSame(['api-events', 'audit', 'undeclared'], $this->paused());
        self::assertSame(0, $this->said(ResumeCommand::class)[0]);
        self::assertSame([], $this->paused());
        [$exit, $none] = $this->said(ResumeCommand::class);
        self::assertSame(0, $exit);
        Snapshot::assertPrinted('spool:resume', 'no bucket is paused', $none);
    }

    #[Test]
    public function before_anything_was_buffered_a_pause_holds_for_what_comes(): void
    {
        self::assertSame(0, $this->said(PauseCommand::class, 'api-events')[0]);
        self::assertSame(['api-events'], $this->paused());
        $this->spool->add(1);
        $this->said(FlushCommand::class);

        self::assertSame(0, $this->spool->count());
    }

    #[Test]
    public function pausing_again_keeps_the_first_mark_and_resuming_again_is_no_failure(): void
    {
        $this->said(PauseCommand::class, 'api-events');
        $mark = file_get_contents("{$this->spool->path}/paused/api-events");
        [$exit, $out] = $this->said(PauseCommand::class, 'api-events');

        self::assertSame(0, $exit);
        self::assertMatchesRegularExpression(
            '/^api-events: .* \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC .+ \(uid \d+\).*\n$/',
            $out,
        );
        self::assertSame($mark, file_get_contents("{$this->spool->path}/paused/api-events"));
        [$exit, $out] = $this->said(ResumeCommand::class, 'audit');
        self::assertSame(0, $exit);
        Snapshot::assertPrinted('spool:resume', 'a bucket that was not paused', $out);
    }

    #[Test]
    public function a_mistyped_name_is_wrong_usage(): void
    {
        foreach ([PauseCommand::class, ResumeCommand::class] as $command) {
            $outcome = $this->spool->run($command, ['bucket' => 'api-event']);

            self::assertSame(2, $outcome->exit);
            self::assertMatchesRegularExpression("/'api-event' .* api-events, audit\\./", $outcome->err);
        }

        self::assertDirectoryDoesNotExist($this->spool->path);
    }

    #[Test]
    public function a_bucket_that_is_declared_no_more_can_still_be_resumed(): void
    {
        $this->said(PauseCommand::class, 'audit');
        unset($this->spool->buckets['audit']);

        self::assertSame(0, $this->said(ResumeCommand::class, 'audit')[0]);
        self::assertSame([], $this->paused());
    }

    #[Test]
    public function it_waits_for_a_batch_on_its_way_and_later_names_its_process(): void
    {
        $this->spool->add(1);
        $lease = $this->spool->runtime()->store()->claim('api-events');
        self::assertNotNull($lease);
        $waited = $this->spool->run(
            PauseCommand::class,
            ['bucket' => 'api-events'],
            $this->spool->runtime(new SteppingClock),
        );
        self::assertSame(1, $waited->exit);
        self::assertMatchesRegularExpression('/^api-events: .* '.getmypid().' /', $waited->err);
        Snapshot::assertPrinted('spool:pause', 'a batch is on its way', $waited->err);

        $clock = new SteppingClock(function (int $sleeps) use ($lease): void {
            if ($sleeps === 3) {
                $lease->close(Position::start());
            }
        });
        $waited = $this->spool->run(PauseCommand::class, ['bucket' => 'api-events'], $this->spool->runtime($clock));
        self::assertSame([0, 3], [$waited->exit, $clock->sleeps]);
    }

    #[Test]
    public function json_has_all_of_it_and_nothing_else(): void
    {
        $this->spool->add(1);
        $lease = $this->spool->runtime()->store()->claim('api-events');
        $waited = $this->spool->run(
            PauseCommand::class,
            ['bucket' => 'api-events', '--json' => true],
            $this->spool->runtime(new SteppingClock),
        );
        $lease?->close(Position::start());
        /** @var array{ok: bool, buckets: list<array{paused: mixed, delivering: bool, pid: ?int}>} $json */
        $json = json_decode($waited->out, true, 8, JSON_THROW_ON_ERROR);

        self::assertSame([1, ''], [$waited->exit, $waited->err]);
        self::assertSame(
            [false, true, getmypid()],
            [$json['ok'], $json['buckets'][0]['delivering'], $json['buckets'][0]['pid']],
        );
        self::assertIsArray($json['buckets'][0]['paused']);

        /** @var array{ok: bool, buckets: list<array{outcome: string}>} $flushed */
        $flushed = json_decode(
            $this->spool->run(FlushCommand::class, ['--json' => true])->out,
            true,
            8,
            JSON_THROW_ON_ERROR,
        );
        self::assertSame([true, 'paused'], [$flushed['ok'], $flushed['buckets'][0]['outcome']]);

        $resumed = json_decode($this->spool->run(ResumeCommand::class, ['--json' => true])->out, true);
        self::assertSame(
            ['ok' => true, 'buckets' => [['bucket' => 'api-events', 'resumed' => true]], 'unknown' => []],
            $resumed,
        );
        self::assertSame(
            ['ok' => true, 'buckets' => [], 'unknown' => []],
            json_decode($this->spool->run(ResumeCommand::class, ['--json' => true])->out, true),
        );
    }

    #[Test]
    public function status_and_health_tell_the_time_and_the_user_and_later_health_fails(): void
    {
        $this->spool->add(1);
        $this->said(PauseCommand::class, 'api-events');
        $status = $this->spool->runtime()->status()->toArray();
        self::assertIsArray($status['buckets']);
        self::assertIsArray($status['buckets'][0]);
        self::assertSame(['since', 'by'], array_keys((array) $status['buckets'][0]['paused']));
        self::assertIsArray($status['buckets'][1]);
        self::assertNull($status['buckets'][1]['paused']);

        self::assertSame(0, $this->spool->run(HealthCommand::class)->exit);
        $problem = $this->spool->problems()[0];
        self::assertSame(['bucket api-events', false], [$problem->subject, $problem->fatal]);
        self::assertMatchesRegularExpression('/ \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC .+\(uid \d+\)/', $problem->message);

        // As the health of two days later sees it: its oldest event waits, and the reason is told once.
        $clock = new SteppingClock;
        $clock->sleep(2 * 86_400_000_000);
        $later = (new Health($this->spool->runtime($clock)))->findings();
        self::assertCount(1, $later);
        self::assertTrue($later[0]->fatal);
        self::assertStringContainsString('spool:resume api-events', $later[0]->fix);
    }

    #[Test]
    public function a_worker_reports_a_pause_once_and_delivers_when_it_is_over(): void
    {
        $this->spool->add(1);
        $this->said(PauseCommand::class, 'api-events');
        $clock = new SteppingClock(function (int $sleeps): void {
            if ($sleeps === 5) {
                $this->said(ResumeCommand::class, 'api-events');
            }
        });
        $worked = $this->spool->run(WorkCommand::class, ['--max-time' => '10'], $this->spool->runtime($clock));

        self::assertSame([1, 1], $worked->numbers());
        self::assertMatchesRegularExpression(
            '/\Aapi-events: .*`spool:resume api-events`.*\napi-events: 1 .*\n\z/',
            $worked->out,
        );
    }

    #[Test]
    public function while_a_bucket_is_paused_nothing_of_it_is_cleaned_away(): void
    {
        $this->spool->settings['retention'] = 0;

        for ($i = 0; $i < 3; $i++) {
            $this->spool->add(1);

            if ($i === 2) {
                $this->said(PauseCommand::class, 'api-events');
            }

            $this->said(FlushCommand::class);
        }

        $completed = glob("{$this->spool->path}/buckets/api-events/completed/*");
        Snapshot::assertPrinted('spool:clean', 'a bucket is paused', $this->said(CleanCommand::class)[1]);
        $this->spool->run(WorkCommand::class, ['--max-time' => '200'], $this->spool->runtime(new SteppingClock));
        self::assertSame($completed, glob("{$this->spool->path}/buckets/api-events/completed/*"));
    }

    #[Test]
    public function a_restart_is_a_line_in_a_file_that_a_worker_reads(): void
    {
        $this->spool->add(1);
        $clock = new SteppingClock(function (int $sleeps): void {
            if ($sleeps === 2) {
                $this->said(RestartCommand::class);
            }
        });
        $worked = $this->spool->run(WorkCommand::class, ['--max-time' => '1000'], $this->spool->runtime($clock));
        self::assertSame([0, 2], [$worked->exit, $clock->sleeps]);

        $this->said(RestartCommand::class);
        self::assertMatchesRegularExpression(
            '/\A(\d{16} \S+ by .+ \(uid \d+\)\n){2}\z/',
            (string) file_get_contents("{$this->spool->path}/restart"),
        );
        self::assertSame([], $this->spool->problems(), 'The buffer knows its own files.');
    }

    /** @return list<string> */
    private function paused(): array
    {
        return $this->spool->runtime()->stores()->paused()->names;
    }

    /**
     * @param class-string<FlushCommand|WorkCommand|StatusCommand|CleanCommand|HealthCommand|PauseCommand|ResumeCommand|RestartCommand> $command
     * @return array{int, string}
     */
    private function said(string $command, ?string $bucket = null): array
    {
        $outcome = $this->spool->run($command, $bucket === null ? [] : ['bucket' => $bucket]);

        return [$outcome->exit, $outcome->all()];
    }
}

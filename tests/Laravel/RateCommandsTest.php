<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Console\Spool\WorkCommand;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Health\Health;
use Headroom\Tests\Laravel\Support\ClosedSink;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * The commands on a bucket with a rate limit.
 */
#[Group('snapshot')]
final class RateCommandsTest extends SpoolTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->spool->buckets = ['api-events' => [
            'sink' => 'database',
            'table' => 'api_events',
            'rate_limit' => ['max' => 2, 'every' => 60],
        ]];
    }

    #[Test]
    public function a_flush_says_when_it_goes_on_and_ends_with_0(): void
    {
        $this->spool->add(3);
        $clock = new SteppingClock;
        $at = intdiv($clock->micros() + 60_000_000, 1_000_000) + 1;
        $flushed = $this->spool->run(FlushCommand::class, [], $this->spool->runtime($clock));

        self::assertSame([0, ''], [$flushed->exit, $flushed->err]);
        self::assertSame(1, substr_count($flushed->out, "\n"));
        Sentence::assertNames(['api-events: 2', '1', gmdate('H:i:s', $at).' UTC'], $flushed->out);
        Snapshot::assertPrinted('spool:flush', 'its rate lets no more go', $flushed->out);
        /** @var array{buckets: list<array<string, mixed>>} $document */
        $document = json_decode(
            $this->spool->run(FlushCommand::class, ['--json' => true], $this->spool->runtime($clock))->out,
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        self::assertSame(
            [true, gmdate(DATE_ATOM, $at)],
            [$document['buckets'][0]['more'] ?? null, $document['buckets'][0]['goes_on_at'] ?? null],
        );
    }

    #[Test]
    public function a_failure_is_not_over_because_the_rate_lets_nothing_go(): void
    {
        $this->spool->buckets = ['api-events' => [
            'sink' => ClosedSink::class,
            'rate_limit' => ['max' => 2, 'every' => 60],
        ]];
        $this->spool->add(3);

        foreach (range(1, 2) as $attempt) {
            $this->spool->run(FlushCommand::class, ['--now' => true]);
            self::assertStringContainsString('Nobody comes in', $this->spool->run(StatusCommand::class)->out);
        }

        self::assertCount(1, $this->spool->logged);
    }

    #[Test]
    #[TestWith(['1'])]
    #[TestWith(['0'])]
    public function a_worker_that_stops_when_empty_waits_for_the_rate_and_does_not_spin(string $sleep): void
    {
        $this->spool->add(5);
        // Looking takes time, too: one that spins comes to an end.
        $clock = new SteppingClock(perLook: 1_000);
        $worked = $this->spool->run(
            WorkCommand::class,
            ['--stop-when-empty' => true, '--sleep' => $sleep],
            $this->spool->runtime($clock),
        );

        self::assertSame([0, 5], [$worked->exit, $this->spool->count()]);
        self::assertSame(3, preg_match_all('/^api-events: [12] /m', $worked->out), 'It flushes when it has events.');
        self::assertGreaterThan(100, $clock->sleeps);
        self::assertLessThan(130, $clock->sleeps);
    }

    #[Test]
    public function a_worker_that_waits_for_the_rate_makes_no_segment_of_what_comes_meanwhile(): void
    {
        $this->spool->add(3);
        $clock = new SteppingClock(fn () => $this->spool->add(1));
        $this->spool->run(WorkCommand::class, ['--max-time' => '50'], $this->spool->runtime($clock));

        self::assertSame(2, $this->spool->count());
        self::assertCount(1, [
            ...(array) glob("{$this->spool->path}/buckets/api-events/sealed/*.seg"),
            ...(array) glob("{$this->spool->path}/buckets/api-events/completed/*.seg"),
        ]);
    }

    #[Test]
    public function the_status_says_when_it_goes_on(): void
    {
        $this->spool->add(2);
        $clock = new SteppingClock;
        $this->spool->runtime($clock)->flusher()->flush('api-events', new FlushOptions);
        self::assertNull($this->spool->runtime($clock)->status()->buckets[0]->flush->goesOnSeconds, 'Nothing waits.');
        $this->spool->add(1);
        $clock->sleep(18_500_000);

        $status = $this->spool->run(StatusCommand::class, [], $this->spool->runtime($clock))->out;
        self::assertMatchesRegularExpression('/^api-events: .* 42 s\.$/m', $status);
        Snapshot::assertPrinted('spool:status', 'its rate lets nothing go yet', $status);
        $clock->sleep(41_500_000);
        self::assertNull($this->spool->runtime($clock)->status()->buckets[0]->flush->goesOnSeconds);
    }

    #[Test]
    public function a_bucket_that_goes_as_fast_as_its_rate_is_healthy(): void
    {
        $this->spool->add(3);
        $clock = new SteppingClock;
        $this->spool->runtime($clock)->flusher()->flush('api-events', new FlushOptions);
        $clock->sleep(350_000_000);
        self::assertSame([], (new Health($this->spool->runtime($clock)))->findings());

        $clock->sleep(60_000_000);
        $problems = (new Health($this->spool->runtime($clock)))->findings();
        self::assertSame(['bucket api-events'], array_column($problems, 'subject'));
        Sentence::assertNames(['6'], $problems[0]->message);
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench\Queues;

use Headroom\Bench\Queues\DriverFacts;
use Headroom\Bench\Queues\DriverUnderTest;
use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Results\Finding;
use Headroom\Bench\Queues\Results\Findings;
use Headroom\Bench\Queues\Results\ProbeResult;
use Headroom\Bench\Queues\Run\BenchmarkRun;
use Headroom\Bench\Queues\Run\RoundRunner;
use Headroom\Bench\Queues\Run\StabilityCheck;
use Headroom\Bench\Queues\Variant;
use Headroom\Bench\Queues\Workload;
use Headroom\Process\Programs;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class RoundRunnerTest extends TestCase
{
    /** @var array<string, DirectoryQueue> */
    private array $queues = [];

    private HurryingClock $clock;

    private StabilityCheck $stability;

    /** @var list<string> */
    private array $said = [];

    protected function setUp(): void
    {
        $this->clock = new HurryingClock('/no/such/file');
        $this->stability = new StabilityCheck($this->clock);
        // The reference machine is as slow, so no run is slower.
        $this->stability->fault(
            new ProbeResult(1e9, 1e9),
            new ProbeResult(1e9, 1e9),
            ['busy' => 0.0, 'stolen' => 0.0],
            Durability::Unknown,
        );
    }

    protected function tearDown(): void
    {
        array_map(static fn (DirectoryQueue $queue) => $queue->place->remove(), $this->queues);
    }

    #[Test, Group('day-3')]
    public function each_begins_a_round_in_its_turn_and_warming_up_is_no_run(): void
    {
        $findings = $this->measured(['a' => new DirectoryQueue, 'b' => new DirectoryQueue], 3);

        // A run on a slower machine is made again, and reported twice.
        $turns = array_values(array_unique(array_map(
            static fn (string $words): string => explode(':', $words)[0],
            $this->said,
        )));
        self::assertSame(['a', 'b'], array_slice($turns, 0, 2));
        self::assertSame(
            ['1 3 a', '1 3 b', '2 3 b', '2 3 a', '3 3 a', '3 3 b'],
            array_map(
                static fn (string $turn): ?string => preg_replace('/^\D*(\d)\D+(\d), /', '$1 $2 ', $turn),
                array_slice($turns, 2),
            ),
        );
        self::assertGreaterThanOrEqual(3, count($findings->all[0]->outcomes));
    }

    #[Test]
    public function one_that_breaks_while_it_is_watched_keeps_no_other_from_being_measured(): void
    {
        $findings = $this->measured(['broken' => new DirectoryQueue(brokenSize: 4), 'good' => new DirectoryQueue], 2);

        self::assertMatchesRegularExpression(
            '/^broken: .*: RuntimeException: connection refused$/',
            $findings->all[0]->refused,
        );
        self::assertSame('', $findings->all[1]->refused);
        self::assertSame(
            [true, false],
            array_map(static fn (Finding $finding): bool => $finding->outcomes === [], $findings->all),
        );
        self::assertFalse($findings->isValid());
    }

    #[Test]
    public function a_fast_one_gets_more_jobs(): void
    {
        $findings = $this->measured(['fast' => new DirectoryQueue], 1, 0.0001);
        $jobs = $findings->all[0]->variant->workload->jobs;

        self::assertSame([0, true], [$jobs % 100, $jobs >= 100]);
        self::assertSame($jobs, $findings->all[0]->outcomes[0]->jobs);
    }

    #[Test]
    #[Group('proof')]
    public function a_run_that_the_machine_slowed_is_repeated_a_limited_number_of_times(): void
    {
        $this->stability = new StabilityCheck($this->clock);

        foreach (range(1, 9) as $run) {
            $this->stability->fault(
                new ProbeResult(0.001, 0.001),
                new ProbeResult(0.001, 0.001),
                ['busy' => 0.0, 'stolen' => 0.0],
                Durability::Unknown,
            );
        }

        $finding = $this->measured(['a' => new DirectoryQueue], 2)->all[0];

        self::assertSame(
            [6, 6, 2, 0],
            [
                count($finding->outcomes),
                $finding->throttled(),
                $finding->summary()['runs'],
                $finding->summary()['valid_runs'],
            ],
        );
    }

    /** @param non-empty-array<string, DirectoryQueue> $queues by the name of the driver */
    private function measured(array $queues, int $runs, float $seconds = 0): Findings
    {
        $this->queues = $queues;
        $drivers = array_map(
            static fn (string $name, DirectoryQueue $queue): DriverUnderTest => new DriverUnderTest(
                new Variant($name, DriverFacts::unknown('none'), new Workload(5, $seconds, 1)),
                $queue,
                ['queue' => $queue->place->path],
            ),
            array_keys($queues),
            $queues,
        );
        $trial = new BenchmarkRun(
            [Programs::php(), __DIR__.'/fixtures/worker.php'],
            $this->stability,
            $this->clock,
            static fn (string $words) => null,
        );

        return (new RoundRunner($trial, function (string $words): void {
            $this->said[] = $words;
        }))->run($drivers, max(1, $runs));
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues\Run;

use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Results\Fault;
use Headroom\Bench\Queues\Results\FaultKind;
use Headroom\Bench\Queues\Results\ProbeResult;
use Headroom\Bench\Queues\Run\MachineProbe;
use Headroom\Bench\Queues\Run\StabilityCheck;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Bench\Queues\ProbeClock;
use Headroom\Tests\Unit\Bench\Queues\ScriptedProbe;
use Headroom\Tests\Unit\Support\ManualClock;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[Group('snapshot')]
final class StabilityCheckTest extends TestCase
{
    private const CALM = ['busy' => 0.9, 'stolen' => 0.0];

    private ManualClock $clock;

    protected function setUp(): void
    {
        $this->clock = new ManualClock;
    }

    #[Test]
    public function a_probe_takes_the_best_cpu_time_and_the_middle_disk_time(): void
    {
        $place = TemporaryDirectory::create('probe');
        // Before and after each of five pieces of work; then of fifteen blocks, of which seven are kept at once.
        $clock = new ProbeClock([
            0, 9_000, 0, 5_000, 0, 8_000, 0, 9_000, 0, 9_000, ...array_fill(0, 14, 10), 0, 200, 0, 900,
        ]);
        $probed = (new MachineProbe($place->file('probe'), $clock))->take();
        $place->remove();

        self::assertEquals(new ProbeResult(5_000, 200), $probed);
    }

    #[Test]
    public function a_probe_that_may_not_write_reports_where(): void
    {
        $this->expectExceptionObject(UnableToBench::file('/no/such/place/probe'));

        (new MachineProbe('/no/such/place/probe', $this->clock))->take();
    }

    #[Test]
    public function a_machine_that_stays_as_it_was_is_not_at_fault(): void
    {
        self::assertNull($this->fault(new ProbeResult(6_000, 700), new ProbeResult(6_400, 780), Durability::EachJob));
    }

    #[Test]
    public function a_slower_cpu_is_reported_before_the_run_and_after_it(): void
    {
        $before = $this->fault(new ProbeResult(9_000, 200), new ProbeResult(5_000, 200), Durability::None);
        $after = $this->fault(new ProbeResult(5_000, 200), new ProbeResult(7_000, 200), Durability::None);

        self::assertSame([FaultKind::Throttled, FaultKind::Throttled], [$before?->kind, $after?->kind]);
        self::assertMatchesRegularExpression('/ 9\.0 ms .* 5\.0 ms/', (string) $before?->words);
        self::assertMatchesRegularExpression('/ 7\.0 ms .* 5\.0 ms/', (string) $after?->words);
        Snapshot::assertPrinted('bench queues', 'a slower CPU', "{$before?->words}\n{$after?->words}");
    }

    #[Test]
    public function a_slower_disk_is_reported_of_drivers_that_wait_for_it_only(): void
    {
        [$before, $after] = [new ProbeResult(5_000, 200), new ProbeResult(5_000, 1_000)];

        self::assertMatchesRegularExpression(
            '/\bfdatasync\b.* 1\.00 ms .* 0\.20 ms/',
            (string) $this->fault($before, $after, Durability::EachJob)?->words,
        );

        foreach ([Durability::Seconds, Durability::None, Durability::Unknown] as $durability) {
            self::assertNull($this->fault($before, $after, $durability), $durability->value);
        }
    }

    #[Test]
    public function time_that_other_machines_took_is_reported(): void
    {
        $probed = new ProbeResult(5_000, 200);

        self::assertNull($this->fault($probed, $probed, Durability::None, ['busy' => 0.5, 'stolen' => 0.1]));
        $fault = $this->fault($probed, $probed, Durability::None, ['busy' => 0.5, 'stolen' => 0.15]);
        self::assertSame(FaultKind::Throttled, $fault?->kind);
        self::assertStringContainsString(' 15 % ', $fault->words);
    }

    #[Test]
    public function the_first_run_is_compared_with_how_it_began(): void
    {
        $throttle = new StabilityCheck($this->clock);

        self::assertMatchesRegularExpression(
            '/ 9\.0 ms .* 5\.0 ms/',
            (string) $throttle->fault(
                new ProbeResult(5_000, 200),
                new ProbeResult(9_000, 200),
                self::CALM,
                Durability::None,
            )?->words,
        );
    }

    #[Test]
    public function the_first_look_at_a_machine_finds_it_calm(): void
    {
        $probe = new ScriptedProbe([[50_000, 9_000]]);
        (new StabilityCheck($this->clock))->calm($probe, Durability::EachJob);

        self::assertSame([1, 0], [$probe->taken, $this->clock->micros()]);
    }

    #[Test]
    public function a_calm_moment_is_waited_for(): void
    {
        $probe = new ScriptedProbe([[9_000, 200], [9_000, 200], [5_100, 200], [9_000, 200]]);

        self::assertEquals(new ProbeResult(5_100, 200), $this->known()->calm($probe, Durability::None));
        self::assertSame([3, 2_000_000], [$probe->taken, $this->clock->micros()]);
    }

    #[Test]
    public function the_wait_for_a_calm_moment_has_a_limit(): void
    {
        $probe = new ScriptedProbe([[9_000, 200]]);

        self::assertEquals(new ProbeResult(9_000, 200), $this->known()->calm($probe, Durability::None));
        self::assertSame([15, 14_000_000], [$probe->taken, $this->clock->micros()]);
    }

    #[Test]
    public function a_slow_disk_is_waited_for_only_where_it_matters(): void
    {
        foreach ([[Durability::EachJob, 15], [Durability::None, 1]] as [$durability, $looks]) {
            $probe = new ScriptedProbe([[5_000, 2_000]]);
            $this->known()->calm($probe, $durability);

            self::assertSame($looks, $probe->taken, $durability->value);
        }
    }

    #[Test]
    public function a_machine_that_stays_slow_is_slow_after_having_been_waited_for(): void
    {
        $throttle = $this->known();
        $before = $throttle->calm(new ScriptedProbe([[9_000, 200]]), Durability::None);

        self::assertNotNull($throttle->fault($before, $before, self::CALM, Durability::None));
    }

    #[Test]
    public function a_machine_slow_for_longer_than_it_was_fast_is_usually_slow(): void
    {
        $throttle = $this->known();
        $slow = new ProbeResult(9_000, 200);
        $faults = array_map(
            static fn (): bool => $throttle->fault($slow, $slow, self::CALM, Durability::None) !== null,
            range(1, 4),
        );

        self::assertSame([true, false], [$faults[0], $faults[3]]);
    }

    /** @param array{busy: float, stolen: float} $cpu */
    private function fault(
        ProbeResult $before,
        ProbeResult $after,
        Durability $durability,
        array $cpu = self::CALM,
    ): ?Fault {
        return $this->known()->fault($before, $after, $cpu, $durability);
    }

    /** It has seen one run, without a fault. */
    private function known(): StabilityCheck
    {
        $throttle = new StabilityCheck($this->clock);
        $probed = new ProbeResult(5_000, 200);
        self::assertNull($throttle->fault($probed, $probed, self::CALM, Durability::EachJob));

        return $throttle;
    }
}

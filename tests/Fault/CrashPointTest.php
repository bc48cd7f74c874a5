<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Tests\Fault\Support\Database;
use Headroom\Tests\Fault\Support\Scenario;
use Headroom\Tests\Fault\Support\Spawner;
use Headroom\Tests\Fault\Support\Strace;
use Headroom\Tests\Fault\Support\SystemCall;
use Headroom\Tests\Fault\Support\Torture;
use Headroom\Tests\Fault\Support\Trial;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * kill -9 at every system call by which an append, a seal, a flush, a clean or a recovery changes anything outside its
 * process. The calls of an undisturbed run are listed first; then each gets a run of its own, in which it is not made.
 *
 * `make test` takes every eighth call and some crashes of recoveries, `make torture` all calls,
 * and more recoveries the longer it runs.
 */
final class CrashPointTest extends TestCase
{
    private const STEP = 8;

    private const RECOVERIES = 2;

    private Torture $torture;

    private Spawner $spawner;

    protected function setUp(): void
    {
        Strace::orSkip();
        $this->torture = Torture::fromEnvironment();
        $this->spawner = Spawner::start();
    }

    protected function tearDown(): void
    {
        if (isset($this->spawner)) {
            $this->spawner->stop();
        }
    }

    /** @return iterable<string, array{Scenario}> */
    public static function everyScenario(): iterable
    {
        // The scenarios that do not use the database run on SQLite only.
        $scenarios = Torture::fromEnvironment()->database === Database::Sqlite
            ? Scenario::cases()
            : [Scenario::Flush, Scenario::NextFlush];

        foreach ($scenarios as $scenario) {
            yield $scenario->value => [$scenario];
        }
    }

    /** @return array<string, array{Scenario}> */
    public static function sampledEveryScenario(): array
    {
        return Sample::of(self::everyScenario(), 3);
    }

    #[Test]
    #[DataProvider('everyScenario')]
    public function a_kill_at_any_system_call_loses_and_doubles_nothing(Scenario $scenario): void
    {
        $calls = $this->callsOf($scenario);
        self::assertNotSame([], $calls);
        $sample = $this->torture->sample($calls, self::STEP);
        $this->torture->say(sprintf(
            '%s: killed at %d of %d crash points',
            $scenario->value,
            count($sample),
            count($calls),
        ));

        foreach ($sample as $call) {
            $this->withTrial($scenario, static function (Trial $trial) use ($scenario, $call): void {
                $trial->kill($scenario, $call);
                $trial->assertWhole();
            });
        }

        $this->torture->count(['crash_points' => count($sample)]);
    }

    /** Killed, killed again while it recovers, and once more while it recovers from that. */
    #[Test]
    #[DataProvider('sampledEveryScenario')]
    public function a_kill_of_the_recovery_and_of_its_recovery_changes_nothing(Scenario $scenario): void
    {
        $random = $this->torture->randomizer();
        $calls = $this->callsOf($scenario);
        $runs = $this->torture->isOn ? max(self::RECOVERIES, intdiv(Torture::seconds(60), 6)) : self::RECOVERIES;
        $kills = 0;
        $this->torture->say(sprintf('%s: killed, and killed again in %d recoveries', $scenario->value, $runs));

        for ($run = 0; $run < $runs; $run++) {
            $kills += $this->killRepeatedly(
                $scenario,
                $calls,
                2 + $run % 2,
                static fn (int $count): int => $random->getInt(0, $count - 1),
            );
        }

        $this->torture->count(['crash_points' => $kills]);
    }

    /**
     * @param list<SystemCall> $calls of the scenario
     * @param callable(int): int $pick one of so many
     * @return int how often it was killed
     */
    private function killRepeatedly(Scenario $scenario, array $calls, int $depth, callable $pick): int
    {
        /** @var list<SystemCall> $path */
        $path = [$calls[$pick(count($calls))]];

        while (count($path) < $depth) {
            // The system calls of a recovery depend on the state where it begins, so they are listed from there.
            $next = [];
            $this->withTrial($scenario, function (Trial $trial) use ($scenario, $path, &$next): void {
                $this->killAlong($trial, $scenario, $path);
                $next = $trial->trace($scenario->recovery());
                $trial->assertWhole();
            });
            self::assertNotSame([], $next);
            $path[] = $next[$pick(count($next))];
        }

        $this->withTrial($scenario, function (Trial $trial) use ($scenario, $path): void {
            $this->killAlong($trial, $scenario, $path);
            $trial->assertWhole();
        });

        return $depth;
    }

    /** @param list<SystemCall> $path */
    private function killAlong(Trial $trial, Scenario $scenario, array $path): void
    {
        foreach ($path as $depth => $call) {
            $trial->kill($depth === 0 ? $scenario : $scenario->recovery(), $call);
        }
    }

    /** @return list<SystemCall> */
    private function callsOf(Scenario $scenario): array
    {
        $calls = [];
        $this->withTrial($scenario, static function (Trial $trial) use ($scenario, &$calls): void {
            $calls = $trial->trace($scenario);
            $trial->assertWhole();
        });

        return $calls;
    }

    /** @param callable(Trial): void $work */
    private function withTrial(Scenario $scenario, callable $work): void
    {
        $trial = Trial::of($scenario, $this->spawner, $this->torture->database);

        try {
            $work($trial);
        } finally {
            $trial->end();
        }
    }
}

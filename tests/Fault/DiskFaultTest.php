<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

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
 * Any system call of an append, a seal, a flush or a clean fails as a disk, a quota or a limit makes it fail, once or
 * from then on. The call throws or succeeds; what was accepted arrives once, what was refused never,
 * and the next append works.
 */
final class DiskFaultTest extends TestCase
{
    private const STEP = ['append' => 8, 'flush' => 40];

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
        foreach (Scenario::cases() as $scenario) {
            yield $scenario->value => [$scenario];
        }
    }

    /** @return array<string, array{Scenario}> */
    public static function sampledEveryScenario(): array
    {
        return Sample::of(self::everyScenario(), 3);
    }

    #[Test]
    #[DataProvider('sampledEveryScenario')]
    public function a_call_that_fails_loses_and_doubles_nothing(Scenario $scenario): void
    {
        $faults = $this->faultsOf($scenario);
        self::assertNotSame([], $faults);
        $sample = $this->torture->sample(
            $faults,
            self::STEP[in_array($scenario, Scenario::appends(), true) ? 'append' : 'flush'],
        );
        $this->torture->say(sprintf('%s: %d of %d faults', $scenario->value, count($sample), count($faults)));

        foreach ($sample as [$call, $error, $times]) {
            $trial = Trial::of($scenario, $this->spawner);

            try {
                $trial->fail($scenario, $call, $error, $times);
                $trial->assertWhole();
            } finally {
                $trial->end();
            }
        }

        $this->torture->count(['disk_faults' => count($sample)]);
    }

    /** @return list<array{SystemCall, string, string}> a call, an error, and "+" if the error stays */
    private function faultsOf(Scenario $scenario): array
    {
        $trial = Trial::of($scenario, $this->spawner);

        try {
            $calls = $trial->trace($scenario);
            $trial->assertWhole();
        } finally {
            $trial->end();
        }

        $faults = [];

        foreach ($calls as $call) {
            foreach ($call->errors() as $error) {
                array_push($faults, [$call, $error, ''], [$call, $error, '+']);
            }
        }

        return $faults;
    }
}

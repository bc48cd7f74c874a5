<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues\Run;

use Closure;
use Headroom\Bench\Interrupted;
use Headroom\Bench\InterruptHandler;
use Headroom\Bench\Queues\Driver;
use Headroom\Bench\Queues\Run\SignalSafeDriver;
use Headroom\Bench\Queues\Workload;
use Headroom\Process\Signal;
use Headroom\Tests\Unit\Bench\Queues\SignalledDriver;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class SignalSafeDriverTest extends TestCase
{
    /** @return iterable<string, array{Closure(Driver): mixed}> */
    public static function calls(): iterable
    {
        yield 'emptying' => [static fn (Driver $driver) => $driver->reset()];
        yield 'pushing' => [static fn (Driver $driver) => $driver->push(0, 1, new Workload(1, 0, 1))];
        yield 'counting' => [static fn (Driver $driver): int => $driver->size()];
    }

    /** @param Closure(Driver): mixed $call */
    #[Test]
    #[DataProvider('calls')]
    public function a_signal_waits_until_the_driver_is_done(Closure $call): void
    {
        $interrupts = new InterruptHandler(static fn (string $words) => null);
        $driver = new SignalledDriver($interrupts);

        try {
            $call(new SignalSafeDriver($driver, $interrupts));
            self::fail('It went on.');
        } catch (Interrupted $e) {
            self::assertSame([true, Signal::Terminate->value], [$driver->isDone, $e->signal]);
        }
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench;

use Headroom\Bench\Interrupted;
use Headroom\Bench\InterruptHandler;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class InterruptHandlerTest extends TestCase
{
    /** @var list<string> */
    private array $said = [];

    private InterruptHandler $interrupts;

    protected function setUp(): void
    {
        $this->interrupts = new InterruptHandler(function (string $words): void {
            $this->said[] = $words;
        });
    }

    #[Test]
    public function only_the_first_signal_is_thrown(): void
    {
        self::assertSame(15, $this->thrown(fn () => $this->interrupts->handle(15)));
        self::assertNull($this->thrown(fn () => $this->interrupts->handle(2)));
        self::assertCount(1, $this->said);
        self::assertStringContainsString('kill -9 '.getmypid().' ', $this->said[0]);
    }

    #[Test]
    public function a_step_that_must_end_is_not_broken_off(): void
    {
        $signal = $this->thrown(fn () => $this->interrupts->shield(function (): void {
            $this->interrupts->handle(1);
            $this->said[] = 'ended';
        }));

        self::assertSame([2, 'ended', 1], [count($this->said), $this->said[1], $signal]);
    }

    #[Test]
    public function a_signal_taken_for_another_failure_is_thrown_again(): void
    {
        self::assertNull($this->thrown($this->interrupts->throwIfInterrupted(...)));
        $this->thrown(fn () => $this->interrupts->handle(15));

        self::assertSame(15, $this->thrown($this->interrupts->throwIfInterrupted(...)));
        $this->interrupts->disable();
        self::assertNull($this->thrown($this->interrupts->throwIfInterrupted(...)));
    }

    #[Test]
    public function a_signal_while_the_last_is_removed_throws_nothing(): void
    {
        $this->interrupts->disable();

        self::assertNull($this->thrown(fn () => $this->interrupts->handle(15)));
        self::assertCount(1, $this->said);
    }

    /** @param callable(): void $what */
    private function thrown(callable $what): ?int
    {
        try {
            $what();
        } catch (Interrupted $e) {
            return $e->signal;
        }

        return null;
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\FileStore\State;

use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\Throttle;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

final class ThrottleTest extends DirectoryTestCase
{
    private SteppingClock $clock;

    protected function setUp(): void
    {
        parent::setUp();
        $this->clock = new SteppingClock;
    }

    #[Test]
    public function one_of_many_takes_the_turn_and_none_until_the_time_is_over(): void
    {
        $first = intdiv($this->clock->micros(), 1_000_000);
        self::assertSame(
            [0, null, null],
            [$this->interval()->claimTurn(20), $this->interval()->claimTurn(20), $this->interval()->claimTurn(20)],
        );

        $this->clock->sleep(19_000_000);
        self::assertSame([false, null], [$this->interval()->isDue(20), $this->interval()->claimTurn(20)]);
        $this->clock->sleep(1_000_000);
        self::assertSame(
            [true, $first, null],
            [$this->interval()->isDue(20), $this->interval()->claimTurn(20), $this->interval()->claimTurn(20)],
        );
    }

    #[Test]
    public function a_process_that_comes_while_another_takes_the_turn_leaves_it(): void
    {
        $file = fopen($this->directory->file('turn'), 'c');
        self::assertIsResource($file);
        self::assertTrue(flock($file, LOCK_EX));
        self::assertNull($this->interval()->claimTurn(20));

        fclose($file);
        self::assertSame(0, $this->interval()->claimTurn(20), 'One that died before it took it has taken nothing.');
    }

    #[Test]
    public function a_turn_that_was_put_off_is_not_taken_earlier(): void
    {
        $this->interval()->claimTurn(20);
        $this->interval()->postpone(240, 20);
        $this->clock->sleep(239_000_000);
        self::assertNull($this->interval()->claimTurn(20));
        $this->clock->sleep(1_000_000);
        self::assertNotNull($this->interval()->claimTurn(20));
    }

    #[Test]
    #[TestWith([86_400])]
    #[TestWith([600])]
    public function a_clock_that_is_set_back_stops_nothing_for_long(int $seconds): void
    {
        $this->interval()->claimTurn(20);
        $this->clock->sleep(-1_000_000 * $seconds);

        self::assertNotNull($this->interval()->claimTurn(20));
    }

    #[Test]
    public function a_link_is_not_followed_and_a_missing_directory_is_no_failure(): void
    {
        touch($this->directory->file('elsewhere'), 1_000_000_000);
        symlink($this->directory->file('elsewhere'), $this->directory->file('turn'));
        self::assertNull($this->interval()->claimTurn(20));
        clearstatcache();
        self::assertSame(1_000_000_000, filemtime($this->directory->file('elsewhere')));

        self::assertNull(
            (new Throttle($this->directory->file('gone/turn'), new Permissions, $this->clock))->claimTurn(20),
        );
    }

    private function interval(): Throttle
    {
        return new Throttle($this->directory->file('turn'), new Permissions, $this->clock);
    }
}

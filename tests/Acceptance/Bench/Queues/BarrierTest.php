<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench\Queues;

use Headroom\Bench\Queues\Run\Barrier;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Printed;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\InputStream;
use Symfony\Component\Process\Process;

final class BarrierTest extends TestCase
{
    private TemporaryDirectory $place;

    protected function setUp(): void
    {
        $this->place = TemporaryDirectory::create('barrier');
    }

    protected function tearDown(): void
    {
        $this->place->remove();
    }

    #[Test]
    public function it_is_closed_until_it_is_opened(): void
    {
        $barrier = Barrier::closed($this->place->file('barrier'));
        self::assertFalse($this->isFree());

        $barrier->open();
        self::assertTrue($this->isFree());

        Barrier::pass($this->place->file('barrier'), $this->place->file('ready'));
        self::assertFileExists($this->place->file('ready'));
    }

    /** Such workers would hold the barrier for each other, and no process would open it. */
    #[Test]
    public function a_process_started_meanwhile_does_not_hold_it_closed(): void
    {
        $barrier = Barrier::closed($this->place->file('barrier'));
        $input = new InputStream;
        $process = new Process([Programs::php(), '-r', 'echo "here"; fgets(STDIN);'], null, null, $input);
        $process->start();
        // Not before it has become another program.
        Printed::by($process, 'here');
        unset($barrier);
        $isFree = $this->isFree();
        $isRunning = $process->isRunning();
        $input->close();
        $process->wait();

        self::assertTrue($isRunning);
        self::assertTrue($isFree);
    }

    #[Test]
    public function one_that_cannot_be_made_reports_where(): void
    {
        $this->expectExceptionObject(UnableToBench::file($this->place->file('none/barrier')));

        Barrier::closed($this->place->file('none/barrier'));
    }

    #[Test]
    public function a_worker_that_finds_none_is_not_ready(): void
    {
        try {
            Barrier::pass($this->place->file('barrier'), $this->place->file('ready'));
            self::fail('It passed.');
        } catch (UnableToBench) {
            self::assertFileDoesNotExist($this->place->file('ready'));
        }
    }

    private function isFree(): bool
    {
        $handle = fopen($this->place->file('barrier'), 'r');

        return $handle !== false && flock($handle, LOCK_SH | LOCK_NB);
    }
}

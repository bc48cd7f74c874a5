<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use Headroom\Collector\Server\Home;
use Headroom\Collector\Server\UnableToServe;
use Headroom\Host\TemporaryDirectory;
use Headroom\Tests\Unit\Doctor\Support\Meanwhile;
use Headroom\Tests\Unit\Host\ManualClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class HomeTest extends TestCase
{
    private TemporaryDirectory $root;

    protected function setUp(): void
    {
        $this->root = TemporaryDirectory::create('home');
    }

    protected function tearDown(): void
    {
        $this->root->remove();
    }

    #[Test]
    public function a_process_that_asks_whether_a_supervisor_runs_keeps_none_out(): void
    {
        $looker = $this->looker();
        $home = $this->home();
        $home->occupy(new Meanwhile(static fn () => flock($looker, LOCK_UN)));

        self::assertTrue($home->isOccupied());
        self::assertTrue($this->home()->isOccupied());
    }

    #[Test]
    public function a_second_supervisor_is_refused(): void
    {
        $first = $this->home();
        $first->occupy(new ManualClock);

        try {
            $this->home()->occupy(new ManualClock);
            self::fail('There are two.');
        } catch (UnableToServe $e) {
            self::assertStringContainsString('(pid '.getmypid().')', $e->getMessage());
        }

        self::assertTrue($first->isOccupied());
    }

    #[Test]
    public function a_home_that_no_supervisor_holds_is_free(): void
    {
        $this->looker();

        self::assertFalse($this->home()->isOccupied());
    }

    private function home(): Home
    {
        return new Home($this->root->path, 0o700, 0o600);
    }

    /** @return resource that holds it as isOccupied() does */
    private function looker()
    {
        $this->home()->make();
        $looker = fopen($this->root->file('collector/collector.lock'), 'c');
        self::assertNotFalse($looker);
        self::assertTrue(flock($looker, LOCK_SH | LOCK_NB));

        return $looker;
    }
}

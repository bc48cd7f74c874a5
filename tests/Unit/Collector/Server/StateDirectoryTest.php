<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\Authentication\ApiKeyStore;
use Headroom\Collector\Ingest\Authentication\UnableToStoreKeys;
use Headroom\Collector\Server\CollectorControl;
use Headroom\Collector\Server\Metrics\SapiCounters;
use Headroom\Collector\Server\StateDirectory;
use Headroom\Collector\Server\UnableToServe;
use Headroom\Core\SystemClock;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Unit\Doctor\Support\Meanwhile;
use Headroom\Tests\Unit\Support\ManualClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

final class StateDirectoryTest extends TestCase
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
    public function a_process_that_checks_the_lock_keeps_no_supervisor_out(): void
    {
        $looker = $this->looker();
        $home = $this->home();
        $home->acquireLock(new Meanwhile(static fn () => flock($looker, LOCK_UN)));

        self::assertTrue($home->isLocked());
        self::assertTrue($this->home()->isLocked());
    }

    #[Test]
    public function a_second_supervisor_is_refused(): void
    {
        $first = $this->home();
        $first->acquireLock(new ManualClock);

        try {
            $this->home()->acquireLock(new ManualClock);
            self::fail('There are two.');
        } catch (UnableToServe $e) {
            self::assertStringContainsString('(pid '.getmypid().')', $e->getMessage());
        }

        self::assertTrue($first->isLocked());
    }

    #[Test]
    public function a_directory_that_no_supervisor_has_locked_is_free(): void
    {
        $this->looker();

        self::assertFalse($this->home()->isLocked());
    }

    /** @param string $named what another user that may write there has put into pid.json; %d is an innocent process */
    #[Test]
    #[TestWith(['{"pid":%d}'])]
    #[TestWith(['{"pid":"%d"}'])]
    #[TestWith(['{"pid":[%d]}'])]
    #[TestWith(['nonsense'])]
    public function no_process_is_signalled_that_does_not_hold_the_lock(string $named): void
    {
        $home = $this->home();
        $home->acquireLock(new ManualClock);
        self::assertSame(getmypid(), $this->home()->pid());
        $innocent = new Process(['sleep', '60']);
        $innocent->start();
        // Until it is the program that was asked for, it has what this process has open, the lock too.
        Patience::until(
            static fn (): bool
                => str_starts_with((string) file_get_contents("/proc/{$innocent->getPid()}/cmdline"), 'sleep'),
            'it is another program',
        );
        file_put_contents("{$home->path}/pid.json", sprintf($named, $innocent->getPid()));

        $remote = new CollectorControl($this->home(), new ManualClock);

        foreach ([$remote->stop(...), $remote->reload(...)] as $signal) {
            try {
                $signal(0.1);
                self::fail('It was signalled.');
            } catch (UnableToServe) {
            }
        }

        usleep(50_000);
        self::assertTrue($innocent->isRunning());
        $innocent->stop(0);
    }

    /** Signals to these reach all processes that there are, those of the own group, and init. */
    #[Test]
    #[TestWith([-1])]
    #[TestWith([0])]
    #[TestWith([1])]
    public function a_number_that_names_more_than_one_process_is_none(int $pid): void
    {
        $home = $this->home();
        $home->acquireLock(new ManualClock);
        file_put_contents("{$home->path}/pid.json", json_encode(['pid' => $pid]));

        self::assertNull($home->pid());
    }

    #[Test]
    public function links_and_pipes_in_its_directory_lead_nowhere_and_hold_up_no_process(): void
    {
        $canary = $this->root->write('canary', 'sings');
        $home = $this->home();
        $home->create();

        foreach ([
            'status.json',
            'metrics/a.json',
            sprintf('status.%d.tmp', getmypid()),
            'collector.lock',
            'keys.json',
            'keys.json.lock',
            SapiCounters::DIRECTORY,
            'rates',
        ] as $name) {
            symlink($canary, "{$home->path}/{$name}");
        }

        posix_mkfifo("{$home->path}/spool.json", 0o600);
        self::assertSame([[], []], [$home->read('status'), $home->read('spool')]);
        self::assertTrue($home->write('status', ['a' => 1]));
        self::assertSame([['a' => 1], false], [$home->read('status'), is_link("{$home->path}/status.json")]);

        $keys = new ApiKeyStore("{$home->path}/keys.json", new SystemClock);

        foreach ([
            fn () => $home->acquireLock(new ManualClock),
            fn () => $keys->all(),
            fn () => $keys->create(new ApiKey('', 'k')),
        ] as $deed) {
            try {
                $deed();
                self::fail('A link was followed.');
            } catch (UnableToServe|UnableToStoreKeys) {
            }
        }

        unlink($counters = "{$home->path}/".SapiCounters::DIRECTORY);
        mkdir($counters);

        for ($number = 0; $number < 32; $number++) {
            symlink($canary, "{$counters}/{$number}.json");
        }

        $counters = new SapiCounters($counters);
        $counters->add(['a' => 1]);
        self::assertSame([], $counters->sum());
        self::assertSame('sings', file_get_contents($canary));
    }

    private function home(): StateDirectory
    {
        return new StateDirectory($this->root->path, 0o700, 0o600);
    }

    /** @return resource that holds it as isLocked() does */
    private function looker()
    {
        $this->home()->create();
        $looker = fopen($this->root->file('collector/collector.lock'), 'c');
        self::assertNotFalse($looker);
        self::assertTrue(flock($looker, LOCK_SH | LOCK_NB));

        return $looker;
    }
}

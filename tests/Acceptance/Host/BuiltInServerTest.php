<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host;

use Headroom\Dev\BuiltInServer;
use Headroom\Process\Proc;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[RequiresPhpExtension('posix')]
final class BuiltInServerTest extends TestCase
{
    private Site $site;

    protected function setUp(): void
    {
        $this->site = Site::create();
    }

    protected function tearDown(): void
    {
        $this->site->remove();
    }

    #[Test]
    #[DataProvider('numbers_of_workers')]
    public function it_answers_and_leaves_nothing_behind(int $workers): void
    {
        $server = BuiltInServer::start($this->site->config($workers, ['SITE_ENV' => 'x'], ['memory_limit' => '77M']));

        try {
            $answer = Site::ask($server->url().'/any/path', 'body');
            $pids = $server->workerPids();

            self::assertSame(['POST', '/any/path', md5('body'), 'x', '77M'], [
                $answer['method'], $answer['path'], $answer['body'], $answer['env'], $answer['memory_limit'],
            ]);
            self::assertCount($workers, $pids);
            self::assertSame(Site::workersUser(), $answer['user']);
        } finally {
            $server->stop();
        }

        self::assertSame([], array_filter($pids, (new Proc)->isAlive(...)));
        self::assertSame([], $server->workerPids());
        self::assertDirectoryDoesNotExist(dirname($server->file('x')));
    }

    /** @return iterable<string, array{int}> */
    public static function numbers_of_workers(): iterable
    {
        yield 'one' => [1];
        yield 'four' => [4];
    }

    #[Test]
    public function nothing_outlives_a_starter_that_is_killed(): void
    {
        Needs::program('setpriv', 'util-linux');
        Needs::program('timeout', 'coreutils');

        $pids = Starter::killed(BuiltInServer::class, $this->site->front(), 3);
        $proc = new Proc;

        self::assertNotSame([], $pids);

        for ($try = 0; $try < 500 && array_filter($pids, $proc->isAlive(...)) !== []; $try++) {
            usleep(20_000);
        }

        self::assertSame([], array_filter($pids, $proc->isAlive(...)));
    }

    #[Test]
    public function nothing_outlives_a_starter_that_fails(): void
    {
        $pids = Starter::failed(BuiltInServer::class, $this->site->front(), 3);

        self::assertNotSame([], $pids);
        self::assertSame([], array_filter($pids, (new Proc)->isAlive(...)));
    }
}

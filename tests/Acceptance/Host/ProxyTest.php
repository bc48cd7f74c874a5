<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host;

use Headroom\Dev\Nginx\ProxyConfig;
use Headroom\Host\Nginx\Nginx;
use Headroom\Host\WebStack;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use LogicException;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ProxyTest extends TestCase
{
    private ?Site $site = null;

    /** @var list<WebStack> */
    private array $stacks = [];

    private ?Nginx $proxy = null;

    protected function setUp(): void
    {
        Needs::webStack();
        $this->site = Site::create();
    }

    protected function tearDown(): void
    {
        $this->proxy?->stop();

        foreach ($this->stacks as $stack) {
            $stack->stop();
        }

        $this->site?->remove();
    }

    #[Test, Group('day-2')]
    public function requests_are_shared_by_the_servers_behind_it_and_bodies_arrive_whole(): void
    {
        $this->stacks = [WebStack::start($this->site()->config(1)), WebStack::start($this->site()->config(1))];
        $behind = array_map(
            static fn (WebStack $stack): string => substr($stack->url(), strlen('http://')),
            $this->stacks,
        );
        $directory = TemporaryDirectory::create('proxy', UnixUser::forWorkers('www-data'));

        try {
            $proxy = $this->proxy = Nginx::start(
                new ProxyConfig($behind, UnixUser::forWorkers('www-data')),
                $directory,
            );
            $body = random_bytes(300_000);
            $answers = array_map(
                static fn (): array => Site::ask("http://127.0.0.1:{$proxy->port}/some/path?sleep=0", $body),
                range(1, 4),
            );
        } finally {
            $this->proxy?->stop();
            $directory->remove();
        }

        $pids = [];

        foreach ($answers as $answer) {
            self::assertSame(['POST', '/some/path', md5($body)], [$answer['method'], $answer['path'], $answer['body']]);
            $pids[] = $answer['pid'];
        }

        self::assertEqualsCanonicalizing(
            array_merge(...array_map(static fn (WebStack $stack): array => $stack->workerPids(), $this->stacks)),
            array_values(array_unique($pids, SORT_REGULAR)),
        );
    }

    private function site(): Site
    {
        return $this->site ?? throw new LogicException('setUp() makes it.');
    }
}

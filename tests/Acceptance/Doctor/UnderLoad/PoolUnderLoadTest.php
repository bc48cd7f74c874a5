<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\UnderLoad;

use Headroom\Console\Doctor\DoctorCommand;
use Headroom\Core\SystemClock;
use Headroom\Dev\DelayProxy;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Tests\Acceptance\Doctor\Stack;
use Headroom\Tests\Acceptance\Doctor\TightQuota;
use Headroom\Tests\Support\CpuShare;
use Headroom\Tests\Support\Redis\RedisServer;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * Real pools that are the limit themselves: too few processes that wait for no one thing, too short a queue before
 * them, a quota around them.
 */
#[Group('quiet')]
final class PoolUnderLoadTest extends TestCase
{
    #[Test]
    #[Group('proof')]
    public function a_pool_that_is_too_small_is_named_where_waits_are_mixed(): void
    {
        [$stack, $servers] = self::mixed(511);
        $live = self::live($stack);
        unset($servers);

        $live->assertCause('pool-too-small');
        $live->assertSentence('~\b12\b.*\b[34]\d\b~');
    }

    #[Test]
    #[Group('proof')]
    public function a_queue_that_overflows_is_the_cause_where_nothing_else_is(): void
    {
        [$stack, $servers] = self::mixed(8);
        $live = self::live($stack);
        unset($servers);

        $live->assertCause('backlog-overflow');
        $live->assertSentence('~\b8\b.*\b\d+\.\d %.*\b502\b~');
    }

    #[Test, Group('day-2')]
    public function a_quota_that_holds_the_pool_is_named(): void
    {
        $quota = TightQuota::of(0.3)
            ?? self::markTestSkipped(
                'No control group with a quota can be made here, neither of version 1 nor of version 2: run as root,'
                    .' outside of a container.',
            );
        $stack = new Stack(script: '<?php for ($i = 0; $i < 200_000; $i++) { hash("crc32b", "x"); } echo "served";');

        try {
            $quota->take($stack->pools()->pools[0]->master->pid, ...$stack->children());
            $live = self::live($stack);
        } finally {
            unset($stack);
            $quota->remove();
        }

        $live->assertCause('cpu-quota');
        $live->assertSentence('~\bPHP-FPM\b.*\d~');
    }

    /**
     * @return array{Stack, list<object>} each third of the processes waits for something else;
     *     and what must live on beside it
     */
    private static function mixed(int $backlog): array
    {
        $redis = RedisServer::start();
        $way = DelayProxy::start('127.0.0.1', $redis->port, 200.0);
        $script = <<<PHP
            <?php
            \$master = '/proc/'.posix_getppid().'/task/'.posix_getppid().'/children';
            switch (array_search((string) getmypid(), explode(' ', trim(file_get_contents(\$master)))) % 3) {
                case 0: usleep(400_000); break;
                case 1: exec('sleep 0.4'); break;
                case 2: \$call = fsockopen('127.0.0.1', {$way->port}); fwrite(\$call, "PING\\r\\n"); fgets(\$call); fwrite(\$call, "PING\\r\\n"); fgets(\$call);
            }
            echo 'served';
            PHP;

        return [
            new Stack(
                fpm: [
                    'pm.max_children = 4' => 'pm.max_children = 12',
                    'listen.backlog = 511' => "listen.backlog = {$backlog}",
                ],
                script: $script,
            ),
            [$redis, $way],
        ];
    }

    private static function live(Stack $stack): UnderLoadDocument
    {
        $command = new CommandTester(new DoctorCommand(
            CheckList::ofPackage(...),
            static fn (array $told): Facts => $stack->facts(),
            new SystemClock,
            UnderLoadDocument::LOAD,
        ));
        $before = CpuShare::now();
        $command->execute(['--url' => $stack->url(), '--json' => true, '--duration' => '5', '--concurrency' => '60']);

        return UnderLoadDocument::of($command->getDisplay(), $before);
    }
}

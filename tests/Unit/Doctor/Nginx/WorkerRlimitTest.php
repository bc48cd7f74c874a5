<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\WorkerRlimit;
use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class WorkerRlimitTest extends TestCase
{
    #[Test]
    public function the_worker_with_the_lowest_limit_counts(): void
    {
        $machine = new WebServers;
        $config = Configs::from('http { }');
        $unseen = new WorkerRlimit($machine->nginx([10 => $config])->known[0]);
        $machine->path('proc/11/limits', "Max open files            1024                 4096                 files\n");
        $rlimit = new WorkerRlimit($machine->nginx([10 => $config])->known[0]);

        self::assertSame([11, 1024], $rlimit->lowest());
        self::assertSame([true, false], [$rlimit->allows(1024), $rlimit->allows(1025)]);
        self::assertFalse($unseen->allows(1));
        $this->expectException(FactUnavailable::class);
        $unseen->lowest();
    }

    #[Test]
    public function a_limit_that_is_set_is_replaced(): void
    {
        $raised = static fn (string $text): string => (new WorkerRlimit(
            (new WebServers)->nginx([10 => Configs::from($text)])->known[0],
        ))->raisedTo(8192)->with;

        self::assertSame('worker_rlimit_nofile 8192;', $raised("worker_rlimit_nofile 512;\nhttp { }"));
        self::assertSame("worker_rlimit_nofile 8192;\n", $raised("worker_processes 2;\nhttp { }"));
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx;

use Headroom\Doctor\Nginx\NginxMaster;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class NginxMasterTest extends TestCase
{
    private NginxProcesses $processes;

    protected function setUp(): void
    {
        $this->processes = new NginxProcesses;
    }

    protected function tearDown(): void
    {
        $this->processes->root->remove();
    }

    #[Test]
    public function a_master_is_found_with_its_workers_and_their_limits(): void
    {
        $this->processes->add(
            10,
            1,
            'nginx: master process /usr/sbin/nginx -c /srv/n.conf -p /srv',
            '/usr/sbin/nginx',
            1024,
        );
        $this->processes->add(11, 10, 'nginx: worker process', null, 8192);
        $this->processes->add(12, 10, 'nginx: worker process is shutting down', null, 8192);
        $this->processes->add(13, 10, 'nginx: cache manager process', null, 8192);
        $this->processes->add(14, 1, 'nginx: worker process', null, 1);
        $this->processes->add(15, 1, 'vi nginx.conf', '/usr/bin/vi', 1, 'vi');
        [$master] = NginxMaster::running($this->processes->proc());

        self::assertCount(1, NginxMaster::running($this->processes->proc()));
        self::assertSame(
            [10, '/usr/sbin/nginx', '/srv/n.conf', '/srv', 1024],
            [$master->pid, $master->binary, $master->started->config, $master->started->prefix, $master->openFiles],
        );
        self::assertSame([11 => 8192], $master->workers);
        self::assertFalse($master->isElsewhere);
    }

    #[Test]
    public function a_forked_worker_is_not_a_master_but_the_successor_of_one_is(): void
    {
        $this->processes->add(10, 1, 'nginx: master process nginx', '/usr/sbin/nginx', 1024);
        $this->processes->add(11, 10, 'nginx: master process nginx', '/usr/sbin/nginx', 1024);
        $this->processes->add(12, 10, 'nginx: worker process', null, 1024);
        $this->processes->add(20, 10, 'nginx: master process nginx', '/usr/sbin/nginx', 1024);
        $this->processes->add(21, 20, 'nginx: worker process', null, 1024);

        self::assertSame(
            [10 => [12], 20 => [21]],
            array_map(
                array_keys(...),
                array_column(NginxMaster::running($this->processes->proc()), 'workers', 'pid'),
            ),
        );
    }

    #[Test]
    public function facts_that_the_kernel_hides_are_unknown(): void
    {
        $this->processes->add(10, 1, 'nginx: master process nginx', null, null, 'nginx', null);
        [$master] = NginxMaster::running($this->processes->proc());

        self::assertSame([null, null, null], [$master->binary, $master->openFiles, $master->isElsewhere]);
    }

    #[Test]
    public function a_program_that_was_replaced_is_not_the_one_that_runs(): void
    {
        $this->processes->add(10, 1, 'nginx: master process nginx', '/usr/sbin/nginx (deleted)', PHP_INT_MAX);

        self::assertNull(NginxMaster::running($this->processes->proc())[0]->binary);
        self::assertSame(PHP_INT_MAX, NginxMaster::running($this->processes->proc())[0]->openFiles);
    }
}

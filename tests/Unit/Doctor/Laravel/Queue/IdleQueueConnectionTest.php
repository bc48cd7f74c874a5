<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Laravel\Queue;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Application\QueueWorkers;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Laravel\Queue\IdleQueueConnection;
use Headroom\Doctor\Laravel\Queue\JobClasses;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Status;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class IdleQueueConnectionTest extends TestCase
{
    /** @param list<string> $uses */
    #[Test]
    #[TestWith(['predis', '0', ['queue'], Status::Pass])]
    #[TestWith(['predis', '60', ['queue'], Status::Fail])]
    #[TestWith(['predis', '61', ['queue'], Status::Pass])]
    #[TestWith(['predis', '60', ['cache'], Status::Pass])]
    #[TestWith(['phpredis', '60', ['queue'], Status::Pass])]
    public function redis_must_keep_the_connection_of_a_worker_during_a_job(
        string $client,
        string $timeout,
        array $uses,
        Status $status,
    ): void {
        $app = new Application('/app', '12.0.0', 'production', false, [], [
            'queue' => ['default' => 'redis', 'connections' => ['redis' => ['driver' => 'redis']]],
            'database' => ['redis' => ['client' => $client, 'default' => ['host' => '127.0.0.1']]],
        ], []);
        $facts = new Facts([
            QueueWorkers::class => static fn () => throw NotApplicable::of('no worker'),
            JobClasses::class => static fn () => throw NotApplicable::of('no class'),
        ]);
        $server = new RedisServer('tcp://127.0.0.1:6379', $uses, config: ['timeout' => $timeout]);

        self::assertSame($status, IdleQueueConnection::at($server, $app, $facts)->status);
    }
}

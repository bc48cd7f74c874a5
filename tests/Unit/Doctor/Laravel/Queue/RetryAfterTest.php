<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Laravel\Queue;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Laravel\Queue\RetryAfter;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class RetryAfterTest extends TestCase
{
    /** @param array<string, mixed> $connection */
    #[Test]
    #[TestWith([['driver' => 'redis', 'retry_after' => 90], 90.0])]
    #[TestWith([['driver' => 'redis'], 60.0])]
    #[TestWith([['driver' => 'database'], 60.0])]
    #[TestWith([['driver' => 'beanstalkd', 'retry_after' => 'soon'], 60.0])]
    #[TestWith([['driver' => 'own', 'retry_after' => 5], 5.0])]
    #[TestWith([['driver' => 'sqs'], null])]
    #[TestWith([['driver' => 'sync'], null])]
    public function a_connection_without_one_has_the_default_of_its_driver(array $connection, ?float $seconds): void
    {
        $app = new Application('/app', '12.0.0', 'production', false, [], [
            'queue' => ['connections' => ['work' => $connection]],
        ], []);
        $retry = RetryAfter::of('work', $app);

        self::assertSame([$seconds, $seconds === null], [$retry?->seconds, $retry === null]);
        self::assertContains($retry?->key, [null, 'queue.connections.work.retry_after']);
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Bench\Queues\Drivers\InvalidDriver;
use Headroom\Bench\Queues\Drivers\QueueConnectionFinder;
use Illuminate\Config\Repository;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Connections that headroom:bench:queues refuses, and its messages.
 */
final class QueueSubjectsTest extends TestCase
{
    #[Test]
    public function a_connection_that_hands_jobs_to_others_is_refused_with_their_names(): void
    {
        $this->expectException(InvalidDriver::class);
        $this->expectExceptionMessage(
            "'safe' has the driver 'failover', which has no queue of its own and uses those of other connections,"
                .' under their names and in their tables. Name the connection behind it: database, redis.',
        );

        $this->subjects(['safe' => ['driver' => 'failover', 'connections' => ['database', 'redis']]])->named('safe');
    }

    #[Test]
    #[TestWith(['sync'])]
    #[TestWith(['null'])]
    #[TestWith(['deferred'])]
    #[TestWith(['background'])]
    public function a_connection_without_workers_is_refused(string $driver): void
    {
        $this->expectException(InvalidDriver::class);
        $this->expectExceptionMessage("'mine' has the driver '{$driver}', which runs or drops jobs at once.");

        $this->subjects(['mine' => ['driver' => $driver]])->named('mine');
    }

    #[Test]
    public function any_other_is_taken(): void
    {
        self::assertSame('folder', $this->subjects(['mine' => ['driver' => 'folder']])->named('mine')->driver());
    }

    /** @param array<string, mixed> $connections */
    private function subjects(array $connections): QueueConnectionFinder
    {
        return new QueueConnectionFinder(new Repository(['queue' => ['connections' => $connections]]));
    }
}

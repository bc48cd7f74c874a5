<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Alternatives;

use PHPUnit\Framework\Attributes\Test;

/**
 * Three clients get an answer; kill -9 ends the process of the last one between its answer and the end of the request.
 */
final class KilledAfterResponseTest extends AlternativesTestCase
{
    #[Test]
    public function a_job_in_the_database_is_kept(): void
    {
        $answered = $this->answerThriceAndDie('database-job');
        $this->artisan('queue:work', 'database', '--stop-when-empty', '--sleep=0');

        self::assertSame($answered, $this->counted());
    }

    #[Test]
    public function a_job_in_redis_is_kept(): void
    {
        $this->redis();
        $answered = $this->answerThriceAndDie('redis-job');
        $this->artisan('queue:work', 'redis', '--stop-when-empty', '--sleep=0');

        self::assertSame($answered, $this->counted());
    }

    #[Test]
    public function after_response_loses_the_write(): void
    {
        self::assertSame($this->answerThriceAndDie('after-response') - 1, $this->counted());
    }

    #[Test]
    public function defer_loses_the_write(): void
    {
        self::assertSame($this->answerThriceAndDie('defer') - 1, $this->counted());
    }

    #[Test]
    public function a_buffer_in_memory_loses_the_write(): void
    {
        self::assertSame($this->answerThriceAndDie('memory') - 1, $this->counted());
    }

    #[Test]
    public function a_redis_list_keeps_it(): void
    {
        $this->redis();
        $answered = $this->answerThriceAndDie('list');
        $this->artisan('app:pop');

        self::assertSame($answered, $this->counted());
    }

    #[Test]
    public function headroom_keeps_it(): void
    {
        $answered = $this->answerThriceAndDie('headroom');
        $this->artisan('spool:flush');

        self::assertSame($answered, $this->counted());
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Alternatives;

use Headroom\Tests\Support\Dug;
use PHPUnit\Framework\Attributes\Test;

/**
 * How many statements ten rows take, and how many of them the request waits for.
 */
final class StatementsTest extends AlternativesTestCase
{
    #[Test]
    public function ten_jobs_in_the_database_are_ten_inserts_in_the_request_and_later(): void
    {
        self::assertSame(10, Dug::json($this->write('database-job', 10)->body, 'inserts'));
        $this->artisan('queue:work', 'database', '--stop-when-empty', '--sleep=0');

        self::assertSame([10, 10], [$this->counted(), $this->inserts()]);
    }

    #[Test]
    public function ten_jobs_in_redis_are_ten_inserts_after_the_request(): void
    {
        $this->redis();
        self::assertSame(0, Dug::json($this->write('redis-job', 10)->body, 'inserts'));
        $this->artisan('queue:work', 'redis', '--stop-when-empty', '--sleep=0');

        self::assertSame([10, 10], [$this->counted(), $this->inserts()]);
    }

    #[Test]
    public function ten_calls_of_after_response_are_ten_inserts_after_the_response(): void
    {
        self::assertSame(0, Dug::json($this->write('after-response', 10)->body, 'inserts'));
        self::assertSame([10, 10], [$this->counted(), $this->inserts()]);
    }

    #[Test]
    public function ten_calls_of_defer_are_ten_inserts_after_the_response(): void
    {
        self::assertSame(0, Dug::json($this->write('defer', 10)->body, 'inserts'));
        self::assertSame([10, 10], [$this->counted(), $this->inserts()]);
    }

    #[Test]
    public function a_buffer_in_memory_inserts_once_a_request(): void
    {
        $this->write('memory', 10);
        self::assertSame([10, 1], [$this->counted(), $this->inserts()]);
        $this->write('memory', 10);

        self::assertSame([20, 2], [$this->counted(), $this->inserts()]);
    }

    #[Test]
    public function a_redis_list_is_inserted_in_batches(): void
    {
        $this->redis();
        self::assertSame(0, Dug::json($this->write('list', 10)->body, 'inserts'));
        $this->artisan('app:pop');

        self::assertSame([10, 1], [$this->counted(), $this->inserts()]);
    }

    #[Test]
    public function headroom_inserts_the_rows_of_many_requests_at_once(): void
    {
        self::assertSame(0, Dug::json($this->write('headroom', 5)->body, 'inserts'));
        self::assertSame(0, Dug::json($this->write('headroom', 5)->body, 'inserts'));
        $this->artisan('spool:flush');

        self::assertSame([10, 1], [$this->counted(), $this->inserts()]);
    }
}

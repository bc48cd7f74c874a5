<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Alternatives;

use Headroom\Tests\Support\Redis\Patience;
use PHPUnit\Framework\Attributes\Test;

/**
 * kill -9 ends the process that inserts, at the worst moment. Then the next one goes on.
 */
final class KilledWorkerTest extends AlternativesTestCase
{
    #[Test]
    public function a_database_job_killed_after_its_insert_inserts_twice(): void
    {
        $this->work('database', 'after');

        self::assertSame(2, $this->counted());
    }

    #[Test]
    public function a_redis_job_killed_after_its_insert_inserts_twice(): void
    {
        $this->redis();
        $this->work('redis', 'after');

        self::assertSame(2, $this->counted());
    }

    #[Test]
    public function a_job_that_ignores_a_row_it_has_inserted_inserts_once(): void
    {
        $this->work('database', 'once');

        self::assertSame(1, $this->counted());
    }

    #[Test]
    public function with_one_try_a_killed_job_fails_and_its_row_is_missing(): void
    {
        $this->artisan('app:dispatch', 'database', 'before');
        $this->dies([], 'queue:work', 'database', '--once');
        Patience::until(function (): bool {
            $this->app->artisan('queue:work', 'database', '--once');

            return $this->counted('failed_jobs') === 1;
        }, 'the job fails');

        self::assertSame([0, 0], [$this->counted(), $this->counted('jobs')]);
    }

    #[Test]
    public function a_redis_list_that_is_popped_first_loses_the_batch(): void
    {
        $redis = $this->redis();
        $redis->ask('RPUSH', 'events', 'a', 'b', 'c');
        $this->dies([], 'app:pop', '--die');
        $this->artisan('app:pop');

        self::assertSame([0, 0], [$this->counted(), $redis->ask('LLEN', 'events')]);
    }

    #[Test]
    public function a_redis_list_that_is_trimmed_last_inserts_the_batch_twice(): void
    {
        $this->redis()->ask('RPUSH', 'events', 'a', 'b', 'c');
        $this->dies([], 'app:trim', '--die');
        $this->artisan('app:trim');

        self::assertSame(6, $this->counted());
    }

    #[Test]
    public function headroom_killed_before_its_commit_inserts_once(): void
    {
        $this->write('headroom', 3);
        $this->dies(['DIE_AT' => 'insert'], 'spool:flush');
        self::assertSame(0, $this->counted());
        $this->artisan('spool:flush');

        self::assertSame(3, $this->counted());
    }

    #[Test]
    public function headroom_killed_after_its_commit_inserts_once(): void
    {
        $this->write('headroom', 3);
        $this->dies(['DIE_AT' => 'commit'], 'spool:flush');
        self::assertSame(3, $this->counted());
        $this->artisan('spool:flush');

        self::assertSame(3, $this->counted());
    }

    /** A worker that is killed at the first attempt, and others until no job is left. */
    private function work(string $connection, string $dies): void
    {
        $this->artisan('app:dispatch', $connection, $dies);
        $this->dies([], 'queue:work', $connection, '--once', '--tries=3');
        self::assertSame(1, $this->counted());
        // The second attempt begins "retry_after" seconds after the first one.
        Patience::until(
            fn (): bool => str_contains(
                $this->app->artisan('queue:work', $connection, '--once', '--tries=3')->out,
                'DONE',
            ),
            'the job is done',
        );
    }
}

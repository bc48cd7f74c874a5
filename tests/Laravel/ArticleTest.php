<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Support\RealDisk;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * docs/from-laravel-spool.md: code that was written for that package, in an application with real processes and
 * without any configuration.
 */
#[Group('snapshot')]
final class ArticleTest extends ApplicationTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        copy(__DIR__.'/fixtures/article/console.php', $this->app->path('routes/console.php'));
        $this->app->execute(
            'create table api_events (id integer primary key, user_id integer, event text, endpoint text, ip text,'
                .' created_at datetime)',
        );
    }

    #[Test, Group('day-3')]
    public function its_code_buffers_flushes_on_its_own_schedule_and_passes_the_check(): void
    {
        $this->artisan('spool:install');
        $this->artisan('schedule:run');
        $this->artisan('app:call', '7');
        $this->artisan('app:call', '8');
        self::assertSame([], $this->users());

        $this->artisan('schedule:run');
        self::assertSame([7, 8], $this->users());
        self::assertSame(
            [['event' => "api_call\nof two lines", 'endpoint' => 'api/users', 'ip' => null]],
            $this->app->rows('select distinct event, endpoint, ip from api_events'),
        );

        $this->artisan('schedule:run');
        self::assertSame([7, 8], $this->users());
        $this->artisan('app:call', '9');
        $this->artisan('spool:health');
        self::assertMatchesRegularExpression(
            '/^\s*api-events\s+callback\s+3\s+2\s+0\s+0\s+1\b/m',
            $this->artisan('spool:status')->out,
        );
        self::assertSame('', $this->app->log());
    }

    #[Test]
    public function while_its_table_is_gone_events_wait_and_the_log_says_why(): void
    {
        $this->artisan('app:call', '7');
        $this->app->execute('alter table api_events rename to aside');
        $this->app->artisan('schedule:run');
        self::assertStringContainsString('no such table: api_events', $this->app->log());

        $this->app->execute('alter table aside rename to api_events');
        $this->artisan('schedule:run');
        self::assertSame([7], $this->users());
    }

    #[Test, Group('day-3')]
    public function spool_flush_leaves_a_bucket_declared_without_a_sink_to_its_own_schedule(): void
    {
        RealDisk::isNeeded();
        $this->app->config('spool', "['buckets' => ['api-events' => ['durability' => 'power', 'batch' => 1]]]");
        $this->artisan('app:call', '7');
        $this->artisan('app:call', '8');

        Snapshot::assertPrinted('spool:flush', 'no bucket has a sink', $this->artisan('spool:flush')->out);
        self::assertSame([], $this->users());
        $this->artisan('schedule:run');
        self::assertSame([7, 8], $this->users());
        $this->artisan('spool:health');
    }

    #[Test]
    public function the_page_shows_the_code_that_runs_here(): void
    {
        preg_match(
            '/^Schedule::call.*?^}\)->everyMinute\(\);$/ms',
            (string) file_get_contents(dirname(__DIR__, 2).'/docs/from-laravel-spool.md'),
            $shown,
        );

        self::assertStringContainsString($shown[0] ?? 'nothing', $this->app->read('routes/console.php'));
    }

    private function artisan(string ...$arguments): Outcome
    {
        $outcome = $this->app->artisan(...$arguments);
        self::assertSame(0, $outcome->exit, $outcome->all());

        return $outcome;
    }

    /** @return list<mixed> */
    private function users(): array
    {
        return array_column($this->app->rows('select user_id from api_events order by id'), 'user_id');
    }
}

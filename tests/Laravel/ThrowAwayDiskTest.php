<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\Person;
use Headroom\Tests\Laravel\Support\RedisStoreTestCase;
use Headroom\Tests\Support\Markdown\MarkdownPage;
use Illuminate\Filesystem\Filesystem;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\ExecutableFinder;

/**
 * docs/serverless.md: instances whose disks go away, with their buckets in Redis.
 */
final class ThrowAwayDiskTest extends RedisStoreTestCase
{
    private const TERABYTE = 1_099_511_627_776;

    #[Test]
    public function events_of_an_instance_whose_disk_is_gone_are_delivered_by_another(): void
    {
        $this->useRedis('phpredis');
        $this->instance('first');
        $this->ok('app:buffer', '3');
        (new Filesystem)->deleteDirectory($this->app->path('storage/first'));

        $this->instance('second');
        $this->ok('app:buffer', '2');
        self::assertSame(5, $this->json('spool:status')['pending']);
        $this->ok('spool:flush');
        $this->ok('spool:flush');
        $health = $this->app->artisan('spool:health');
        self::assertSame(0, $health->exit, $health->all());

        self::assertSame(5, $this->delivered());
    }

    #[Test]
    public function an_instance_needs_no_directory_that_it_can_write_to(): void
    {
        if (posix_geteuid() !== 0 || (new ExecutableFinder)->find('setpriv') === null) {
            self::markTestSkipped('Only root can become a user that may not write; this needs root and setpriv(1).');
        }

        $this->app->shareWithEverybody();
        $person = Person::other();
        $probe = $this->app->artisanAs($person, '--version');

        if ($probe->exit !== 0) {
            self::markTestSkipped("The user nobody cannot read this checkout: {$probe->all()}");
        }

        $this->useRedis('phpredis');
        $this->instance('first');
        chmod($this->app->path('storage'), 0o755);
        $buffered = $this->app->artisanAs($person, 'app:buffer', '3');
        self::assertSame(0, $buffered->exit, $buffered->all());
        self::assertDirectoryDoesNotExist($this->app->path('storage/first'));

        $this->instance('second');
        $this->ok('spool:flush');
        self::assertSame(3, $this->delivered());
    }

    #[Test]
    public function while_redis_is_down_overflow_decides_if_no_file_may_begin_here(): void
    {
        $this->useRedis('phpredis');
        $this->instance('first', "'overflow' => 'throw'");
        $this->redis?->kill();

        $refused = $this->app->artisan('app:buffer', '1');
        self::assertSame(1, $refused->exit, $refused->all());
        self::assertSame(0, $this->delivered());

        $this->instance('first');
        $this->ok('app:buffer', '1');
        self::assertSame(1, $this->delivered(), 'direct, the default, inserts at once.');
    }

    #[Test]
    public function the_schedule_of_the_page_delivers_before_schedule_run_ends(): void
    {
        $this->useRedis('phpredis');
        $this->instance('first', schedule: false);
        $this->ok('app:buffer', '2');
        $code = MarkdownPage::at('docs/serverless.md')->under('Vapor and Lambda')[0]->code;
        $routes = $this->app->read('routes/console.php');
        $this->app->write(
            'routes/console.php',
            $routes.str_replace("use Illuminate\\Support\\Facades\\Artisan;\n", '', $code),
        );
        self::assertSame(1, substr_count($this->ok('schedule:list')->out, 'spool:flush'));
        $this->ok('schedule:run');

        self::assertSame(2, $this->delivered());
    }

    private function instance(string $directory, string $setting = '', bool $schedule = true): void
    {
        $this->app->config(
            'spool',
            "['path' => storage_path('{$directory}'), 'store' => 'redis', 'heartbeats' => false, 'schedule' => "
                .($schedule ? 'true' : 'false').", 'min_free_bytes' => "
                .self::TERABYTE.", 'buckets' => ['api-events' => ['sink' => 'database', 'table' => 'api_events',"
                ." {$setting}]]]",
        );
    }

    private function delivered(): mixed
    {
        return $this->app->rows('select count(*) as n from api_events')[0]['n'];
    }
}

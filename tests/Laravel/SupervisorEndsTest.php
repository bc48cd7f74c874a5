<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Worker;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * A worker that a sink or a wrong clock ends is replaced, so every bucket keeps a process.
 */
#[RequiresPhpExtension('pcntl')]
#[RequiresPhpExtension('posix')]
final class SupervisorEndsTest extends ApplicationTestCase
{
    private ?Worker $worker = null;

    protected function setUp(): void
    {
        parent::setUp();
        $this->app->config(
            'spool',
            "['path' => storage_path('buffer'), 'heartbeats' => false, 'buckets' => ['api-events' => ['sink' =>"
                ." 'database', 'table' => 'api_events'], 'audit' => ['sink' => 'file', 'path' =>"
                ." storage_path('audit.ndjson')]]]",
        );
        $this->app->migrate();
    }

    protected function tearDown(): void
    {
        $this->worker?->remove();
        parent::tearDown();
    }

    #[Test]
    #[TestDox('exit() in a sink')]
    public function a_sink_that_calls_exit_is_worked_again(): void
    {
        $once = $this->app->path('storage/ended-once');
        $this->app->write('routes/console.php', $this->app->read('routes/console.php').<<<PHP

            Illuminate\Support\Facades\DB::listen(function (): void {
                if (in_array('spool:work', \$_SERVER['argv'] ?? [], true) && ! is_file('{$once}')) {
                    touch('{$once}');
                    exit(0);
                }
            });
            PHP);
        $this->app->artisan('app:buffer', '2');
        $this->app->artisan('app:buffer', '2', 'audit');
        $this->worker = Worker::start($this->app, '--sleep=0.05');
        $this->worker->awaitLine('spool:work: .* api-events .* 0; .*');
        $this->worker->awaitPrinted('api-events: 2 ');
        self::assertCount(2, $this->app->rows('select id from api_events'));
    }

    #[Test, Group('day-2')]
    #[TestDox('clock jump')]
    #[TestWith(['api-events', 'audit'])]
    #[TestWith(['api-events'])]
    public function a_restart_asked_for_in_the_future_ends_no_new_worker(string ...$buckets): void
    {
        $this->app->artisan('app:buffer', '2');
        $ahead = time() + 3600;
        self::assertSame(0, $this->app->artisan('spool:restart')->exit);
        $this->app->write('storage/buffer/restart', sprintf("%d000000 %s by root\n", $ahead, gmdate('c', $ahead)));
        $worked = $this->app->artisan('spool:work', '--stop-when-empty', ...array_values($buckets));

        self::assertStringContainsString('api-events: 2 ', $worked->out, $worked->all());
    }
}

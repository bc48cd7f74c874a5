<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Http;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * Where a slot is kept open: seen in the process's own file handles, as the kernel lists them.
 */
final class ScopesTest extends ApplicationTestCase
{
    protected function setUp(): void
    {
        if (! is_dir('/proc/self/fd')) {
            self::markTestSkipped('There is no /proc here to see open files in.');
        }

        parent::setUp();
    }

    #[Test]
    public function a_web_request_holds_the_slot_from_its_second_event_to_its_end(): void
    {
        $server = $this->app->serve();

        try {
            [$status, $first] = Http::post("{$server->url()}/events/3");
            self::assertSame(200, $status, $this->app->log());
            self::assertIsArray($first);
            self::assertSame([0, 1, 1], $first['held']);
            self::assertSame('0', file_get_contents($this->app->path('storage/held-after.json')));

            // The same process answers: it has one worker.
            self::assertSame([200, ['pid' => $first['pid'], 'held' => 0]], Http::get("{$server->url()}/held"));
            self::assertTrue($this->isFree());
        } finally {
            $server->stop();
        }
    }

    #[Test]
    public function a_request_with_one_event_keeps_nothing(): void
    {
        $server = $this->app->serve();

        try {
            [, $body] = Http::post("{$server->url()}/events/1");
            self::assertIsArray($body);
            self::assertSame([0], $body['held']);
        } finally {
            $server->stop();
        }
    }

    #[Test, Group('day-2')]
    #[TestWith([])]
    #[TestWith(['--fails'])]
    #[TestWith(['--fails', '--fails-to-fail'])]
    public function a_queue_job_keeps_the_slot_and_gives_it_back_also_when_it_fails(string ...$how): void
    {
        $this->app->execute(
            'create table jobs (id integer primary key, queue text, payload text, attempts integer, reserved_at'
                .' integer, available_at integer, created_at integer)',
        );
        $this->app->execute(
            'create table failed_jobs (id integer primary key, uuid text, connection text, queue text, payload text,'
                .' exception text, failed_at text)',
        );
        $dispatched = $this->app->artisan('app:dispatch', ...$how);
        self::assertSame(0, $dispatched->exit, $dispatched->all());

        $worked = $this->app->artisan('queue:work', '--once', '--tries=1');
        self::assertSame(0, $worked->exit, $worked->all());
        self::assertSame(
            '[0,1,1]',
            file_get_contents($this->app->path('storage/held.json')),
            $worked->all().$this->app->log(),
        );
        self::assertSame('0', file_get_contents($this->app->path('storage/held-after.json')));
        self::assertCount($how === [] ? 0 : 1, $this->app->rows('select id from failed_jobs'));
    }

    #[Test]
    public function a_plain_console_command_keeps_nothing(): void
    {
        $outcome = $this->app->artisan('app:buffer', '3');

        self::assertSame("[0,0,0]\n", $outcome->out, $outcome->all());
    }

    #[Test]
    public function hold_keeps_the_slot_of_a_console_command_until_its_callback_ends(): void
    {
        $outcome = $this->app->artisan('app:hold', '3');

        self::assertSame("[0,1,1,0]\n", $outcome->out, $outcome->all());
    }

    private function isFree(): bool
    {
        $slots = (array) glob($this->app->path('storage/app/private/buffer/*/api-events/active/*.log'));
        self::assertCount(1, $slots);
        $file = fopen((string) $slots[0], 'r');
        self::assertNotFalse($file);
        $isFree = flock($file, LOCK_EX | LOCK_NB);
        fclose($file);

        return $isFree;
    }
}

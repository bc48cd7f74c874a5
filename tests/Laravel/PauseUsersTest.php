<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Tests\Laravel\Support\Person;
use Headroom\Tests\Laravel\Support\UsersTestCase;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * Deployments run as root or as a user of their own, requests as www-data: what one marks the other sees,
 * and neither is shut out.
 */
final class PauseUsersTest extends UsersTestCase
{
    protected function prepare(): Person
    {
        $this->buffer = $this->app->path('shared/deep/buffer');
        $this->app->config(
            'spool',
            "['path' => '{$this->buffer}', 'buckets' => ['api-events' => ['sink' => 'database', 'table' =>"
                ." 'api_events']]]",
        );
        $this->app->migrate();
        chown($this->app->path('shared'), 'www-data');
        chgrp($this->app->path('shared'), 'www-data');
        chmod($this->app->path('shared'), 0o755);

        return Person::other();
    }

    #[Test, Group('day-2')]
    #[TestWith(['000'])]
    #[TestWith(['077'])]
    public function a_pause_by_root_before_the_first_event_holds_for_the_web_server(string $umask): void
    {
        $root = Person::root()->withUmask($umask);
        $this->ok($root, 'spool:pause', 'api-events');
        $this->ok($root, 'spool:restart');

        foreach ([
            dirname($this->buffer) => null,
            $this->buffer => '0700',
            "{$this->buffer}/paused" => '0700',
            "{$this->buffer}/paused/api-events" => '0600',
            "{$this->buffer}/restart" => '0600',
        ] as $path => $mode) {
            clearstatcache();
            self::assertSame(posix_getpwnam('www-data')['uid'] ?? null, fileowner($path), $path);

            if ($mode !== null) {
                self::assertSame($mode, sprintf('0%o', fileperms($path) & 0o7777), $path);
            }
        }

        $this->ok(Person::webServer(), 'app:buffer', '2');
        Sentence::assertNames(['`spool:resume api-events`'], $this->ok(Person::webServer(), 'spool:flush')->out);
        self::assertStringContainsString('root (uid 0)', $this->ok(Person::webServer(), 'spool:status')->out);
        $this->ok(Person::webServer(), 'spool:restart');
        $this->ok(Person::webServer(), 'spool:resume');
        $this->ok(Person::webServer(), 'spool:flush');
        self::assertCount(2, $this->app->rows('select id from api_events'));
        $this->ok(Person::webServer(), 'spool:health');
    }

    #[Test, Group('day-2')]
    public function in_a_shared_buffer_either_user_can_pause_resume_and_restart(): void
    {
        $this->app->config(
            'spool',
            "['path' => '{$this->buffer}', 'dir_mode' => 02770, 'file_mode' => 0660, 'buckets' => ['api-events' =>"
                ." ['sink' => 'database', 'table' => 'api_events']]]",
        );
        $this->ok(Person::webServer(), 'app:buffer', '2');
        $other = Person::other(['www-data']);
        $this->ok($other, 'spool:pause');
        $this->ok($other, 'spool:restart');
        $this->ok(Person::webServer(), 'spool:restart');
        self::assertStringContainsString('nobody (uid 65534)', $this->ok(Person::webServer(), 'spool:status')->out);
        $this->ok(Person::webServer(), 'spool:resume');
        $this->ok(Person::webServer(), 'spool:pause');
        $this->ok($other, 'spool:resume');
        $this->ok($other, 'spool:flush');
        self::assertCount(2, $this->app->rows('select id from api_events'));
    }

    #[Test, Group('day-3')]
    public function a_user_without_access_to_the_buffer_is_refused_and_changes_nothing(): void
    {
        // Nothing is there yet, and what the user nobody made there would be closed to www-data.
        foreach (['www-data' => 'www-data', 'nobody' => 'nogroup'] as $owner => $group) {
            chown($this->app->path('shared'), $owner);
            chgrp($this->app->path('shared'), $group);
            chmod($this->app->path('shared'), 0o777);

            foreach (['spool:pause', 'spool:restart'] as $command) {
                $refused = $this->app->artisanAs(Person::other(), $command);
                self::assertSame(1, $refused->exit, $refused->all());
                self::assertStringContainsString('`spool:install`', $refused->err);
            }
        }

        self::assertFileDoesNotExist(dirname($this->buffer));
        $this->ok(Person::webServer(), 'app:buffer', '2');

        foreach (['spool:pause', 'spool:restart'] as $command) {
            $refused = $this->app->artisanAs(Person::other(), $command);
            self::assertSame(1, $refused->exit, $refused->all());
            self::assertStringContainsString('nobody (uid 65534)', $refused->err);
        }

        $this->ok(Person::webServer(), 'spool:flush');
    }

    #[Test, Group('day-1')]
    public function an_unreadable_mark_of_a_pause_stops_the_flush(): void
    {
        $this->ok(Person::webServer(), 'app:buffer', '2');
        $this->ok(Person::webServer(), 'spool:pause');
        chown("{$this->buffer}/paused", 'nobody');
        $refused = $this->app->artisanAs(Person::webServer(), 'spool:flush');

        self::assertSame(1, $refused->exit);
        $expected = StorageUnavailable::notPermitted(
            Sentence::ANY,
            "{$this->buffer}/paused",
            Sentence::ANY,
            Sentence::ANY,
        );
        Sentence::assertIn($expected, $refused->err);
        self::assertSame([], $this->app->rows('select id from api_events'));
    }

    #[Test, Group('day-3')]
    public function a_user_out_of_sight_of_the_collector_is_told_so(): void
    {
        $this->ok(Person::webServer(), 'headroom:collect:key', 'create', 'shop');
        $lock = fopen("{$this->buffer}/collector/collector.lock", 'c');
        self::assertNotFalse($lock);
        flock($lock, LOCK_EX);

        foreach ([['collect:status'], ['collect:stop'], ['collect:reload'], ['collect:key', 'list']] as $command) {
            $seen = $this->app->artisanAs(Person::other(), "headroom:{$command[0]}", ...array_slice($command, 1));
            self::assertSame(1, $seen->exit, $seen->all());
            self::assertStringContainsString('Permission denied', $seen->all());
            self::assertStringContainsString("{$this->buffer}/collector/", $seen->all());
        }
    }
}

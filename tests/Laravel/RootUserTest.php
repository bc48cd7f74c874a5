<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\Person;
use Headroom\Tests\Laravel\Support\UsersTestCase;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * Requests run as www-data, and the scheduler as root.
 */
#[Group('snapshot')]
final class RootUserTest extends UsersTestCase
{
    #[Test, Group('day-1')]
    public function root_that_flushes_or_looks_before_the_first_event_locks_no_user_out(): void
    {
        foreach ([
            'spool:flush', 'spool:status', 'spool:health', 'spool:clean', 'spool:work --stop-when-empty',
        ] as $command) {
            $this->ok(Person::root(), ...explode(' ', $command));
        }

        self::assertDirectoryDoesNotExist($this->buffer);
        $this->ok(Person::webServer(), 'app:buffer', '1');
        $this->ok(Person::webServer(), 'spool:flush');
        self::assertSame(1, $this->delivered());
    }

    #[Test, Group('day-2')]
    public function directories_that_root_made_are_named_by_health_and_by_the_refused_append(): void
    {
        $this->configure('0700', '0600', 'throw');
        $this->ok(Person::root(), 'app:buffer', '1');

        $refused = $this->app->artisanAs(Person::webServer(), 'app:buffer', '1');
        self::assertNotSame(0, $refused->exit);
        self::assertStringContainsString('UnableToAppend', $this->app->log());

        $health = $this->app->artisanAs(Person::webServer(), 'spool:health');
        self::assertSame(1, $health->exit);

        foreach ([$refused->all(), $health->all()] as $said) {
            $said = (string) preg_replace('/\s+/', '', $said);
            self::assertStringContainsString('root(uid0)', $said);
            self::assertStringContainsString('www-data(uid33)', $said);
        }

        $this->carryOut($health->out, 'chown');
        $this->ok(Person::webServer(), 'app:buffer', '1');
        $this->ok(Person::webServer(), 'spool:flush');
        $this->ok(Person::webServer(), 'spool:health');
        self::assertSame(2, $this->delivered());
    }

    #[Test]
    public function events_that_cannot_be_buffered_or_counted_go_to_the_database_and_the_log(): void
    {
        $this->ok(Person::root(), 'app:buffer', '1');
        $this->ok(Person::webServer(), 'app:buffer', '2');

        self::assertSame(2, $this->delivered());
        self::assertSame(
            1,
            preg_match_all("~ 'api-events' .*\\(not_permitted\\).* 1 .*/counters~", $this->app->log()),
            $this->app->log(),
        );

        $this->app->run(['chown', '-R', 'www-data', $this->buffer]);
        $this->ok(Person::webServer(), 'spool:flush');
        self::assertSame(3, $this->delivered());
    }

    #[Test, Group('day-3')]
    public function files_of_root_are_named_to_both_users_and_its_flush_leaves_none(): void
    {
        $this->ok(Person::webServer(), 'app:buffer', '1');
        $this->ok(Person::root(), 'spool:flush');
        self::assertSame('', $this->app->run(['find', $this->buffer, '-user', 'root'])->out);
        $this->app->run(['chown', 'root', "{$this->buffer}/buckets/api-events/state"]);
        $noted = $this->ok(Person::root(), 'spool:health');
        self::assertMatchesRegularExpression('/www-data \(uid 33\) .*root \(uid 0\)/', $noted->out);
        $this->ok(Person::webServer(), 'app:buffer', '1');
        $refused = $this->app->artisanAs(Person::webServer(), 'spool:flush');
        self::assertSame(1, $refused->exit);
        self::assertStringContainsString('root (uid 0)', $refused->err);
        $health = $this->app->artisanAs(Person::webServer(), 'spool:health');
        self::assertSame(1, $health->exit);
        $this->carryOut($health->out, 'chown');
        $this->ok(Person::webServer(), 'spool:flush');
        self::assertSame(2, $this->delivered());
    }

    #[Test]
    public function root_s_install_gives_the_directory_to_the_owner_of_the_one_around_it(): void
    {
        chown($this->app->path('shared'), 'www-data');
        $this->ok(Person::root(), 'spool:install');

        self::assertSame(33, fileowner($this->buffer));
        $this->ok(Person::webServer(), 'app:buffer', '1');
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Symfony\Component\Process\ExecutableFinder;

/**
 * Two real users of the system: requests run as www-data, and the scheduler as nobody or as root.
 */
abstract class UsersTestCase extends ApplicationTestCase
{
    protected string $buffer;

    protected function setUp(): void
    {
        if (
            posix_geteuid() !== 0
            || posix_getpwnam('www-data') === false
            || (new ExecutableFinder)->find('setpriv') === null
        ) {
            self::markTestSkipped(
                'Only root can run processes as two users; this needs root, the user www-data and setpriv(1).',
            );
        }

        parent::setUp();
        $this->app->shareWithEverybody();
        $this->buffer = $this->app->path('shared/buffer');
        $probe = $this->app->artisanAs($this->prepare(), '--version');

        if ($probe->exit !== 0) {
            self::markTestSkipped("The user nobody cannot read this checkout: {$probe->all()}");
        }
    }

    /** Configures the application. The tests are skipped where the returned user cannot run its commands. */
    protected function prepare(): Person
    {
        $this->configure('0700', '0600');
        $this->app->migrate();

        return Person::other();
    }

    protected function configure(string $directory, string $file, string $onFailure = 'direct'): void
    {
        $this->app->config(
            'spool',
            "['path' => base_path('shared/buffer'), 'dir_mode' => {$directory}, 'file_mode' => {$file}, 'buckets' =>"
                ." ['api-events' => ['sink' => 'database', 'table' => 'api_events', 'overflow' => '{$onFailure}']]]",
        );
    }

    protected function ok(Person $person, string ...$arguments): Outcome
    {
        $outcome = $this->app->artisanAs($person, ...$arguments);
        self::assertSame(
            0,
            $outcome->exit,
            "{$person->user}: ".implode(' ', $arguments)."\n{$outcome->all()}{$this->app->log()}",
        );

        return $outcome;
    }

    /** Runs a command out of a message as it stands there; only usermod does nothing, since the system is not ours. */
    protected function carryOut(string $message, string $beginning): void
    {
        self::assertSame(1, preg_match("/`({$beginning} [^`]+)`/", $message, $m), $message);
        $bin = $this->app->path('bin');
        is_dir($bin) || mkdir($bin);
        $this->app->write('bin/usermod', "#!/bin/sh\n");
        chmod("{$bin}/usermod", 0o755);
        $outcome = $this->app->run(['sh', '-c', $m[1]], ['PATH' => "{$bin}:".getenv('PATH')]);
        self::assertSame(0, $outcome->exit, $m[1].$outcome->all());
    }

    protected function delivered(): int
    {
        return count($this->app->rows('select id from api_events'));
    }
}

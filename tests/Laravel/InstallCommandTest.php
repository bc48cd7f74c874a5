<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Http;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Support\Dug;
use Headroom\Tests\Support\Snapshot;
use PDO;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

#[Group('snapshot')]
final class InstallCommandTest extends ApplicationTestCase
{
    #[Test]
    public function twice_is_harmless_and_force_takes_the_configuration_back(): void
    {
        $this->ok('spool:install');
        $node = file_get_contents($this->app->path('storage/app/private/buffer/node'));
        $published = (string) file_get_contents($this->app->path('config/spool.php'));
        $this->app->write(
            'config/spool.php',
            str_replace(
                "'buckets' => [",
                "'buckets' => ['mine' => ['sink' => 'file', 'path' => storage_path('x')],",
                $published,
            ),
        );
        $mine = file_get_contents($this->app->path('config/spool.php'));

        $again = $this->ok('spool:install')->out;
        self::assertStringContainsString('php artisan migrate', $again);
        self::assertDoesNotMatchRegularExpression('/Declare a bucket|make:migration/', $again);
        self::assertSame($mine, file_get_contents($this->app->path('config/spool.php')));
        self::assertSame($node, file_get_contents($this->app->path('storage/app/private/buffer/node')));
        self::assertCount(1, $this->migrations());

        $this->ok('spool:install', '--force');
        self::assertSame($published, file_get_contents($this->app->path('config/spool.php')));
        self::assertCount(1, $this->migrations());
    }

    #[Test]
    public function it_prints_the_next_steps_and_asks_to_cache_the_configuration_again(): void
    {
        $installed = $this->ok('spool:install');
        self::assertStringContainsString('php artisan schedule:run', $installed->out);
        Snapshot::assertPrinted(
            'spool:install',
            'the next steps',
            array_slice(explode("\n\n", trim($installed->out)), -1)[0],
        );
        self::assertStringContainsString('make:migration', $installed->out);
        self::assertStringNotContainsString('config:cache', $installed->out);

        $this->ok('config:cache');
        self::assertStringContainsString('`php artisan config:cache`', $this->ok('spool:install')->out);
    }

    #[Test, Group('day-3')]
    public function a_later_bucket_on_another_connection_gets_its_ledger_by_the_same_commands(): void
    {
        $this->ok('spool:install');
        $this->ok('migrate', '--force');
        touch($this->app->path('database/second.sqlite'));
        $this->app->config(
            'database',
            "['default' => 'sqlite', 'connections' => ['sqlite' => ['driver' => 'sqlite', 'database' =>"
                ." database_path('database.sqlite')], 'second' => ['driver' => 'sqlite', 'database' =>"
                ." database_path('second.sqlite')]], 'migrations' => ['table' => 'migrations']]",
        );
        $this->app->config(
            'spool',
            "['buckets' => ['audit' => ['sink' => 'database', 'table' => 'migrations', 'connection' => 'second']]]",
        );

        $health = $this->app->artisan('spool:health');
        self::assertSame(1, $health->exit);
        self::assertMatchesRegularExpression('/connection second: .*spool_ledger/', $health->out);
        self::assertMatchesRegularExpression('/`spool:install`.*`migrate`/', $health->out);

        $this->app->artisan('spool:install');
        self::assertCount(2, $this->migrations());
        $this->ok('migrate', '--force');
        self::assertStringNotContainsString('spool_ledger', $this->app->artisan('spool:health')->out);

        $this->app->artisan('spool:install');
        self::assertCount(2, $this->migrations());
    }

    #[Test]
    public function a_ledger_that_an_earlier_version_made_gets_its_new_column(): void
    {
        $this->ok('spool:install');
        $this->ok('migrate', '--force');
        $this->app->config('spool', "['buckets' => ['audit' => ['sink' => 'database', 'table' => 'migrations']]]");
        $database = new PDO("sqlite:{$this->app->path('database/database.sqlite')}");
        $database->exec('alter table spool_ledger drop column checksum');
        $database->exec(
            'insert into spool_ledger (source, bucket, position, delivered, dead) values'
                ." ('0123456789abcdef0123456789abcdef', 'audit', '1:0', 7, 1)",
        );
        $health = $this->app->artisan('spool:health');
        self::assertSame(1, $health->exit);
        self::assertMatchesRegularExpression('/ FAIL  .*spool_ledger.*`spool:install`.*`migrate`/s', $health->out);

        $this->app->artisan('spool:install');
        self::assertCount(2, $this->migrations());
        $this->ok('migrate', '--force');
        $row = $database->query('select delivered, dead, checksum from spool_ledger');
        self::assertNotFalse($row);
        self::assertSame([[7, 1, null]], $row->fetchAll(PDO::FETCH_NUM));
        $this->ok('spool:install');
        self::assertCount(2, $this->migrations());
    }

    #[Test]
    public function a_directory_that_cannot_be_made_is_named_and_exits_with_1(): void
    {
        $this->app->config('spool', "['path' => '/proc/headroom']");
        $installed = $this->app->artisan('spool:install');

        self::assertSame(1, $installed->exit, $installed->all());
        self::assertStringContainsString('/proc/headroom', $installed->all());
        self::assertStringNotContainsString('Next:', $installed->all());
    }

    #[Test, Group('day-2')]
    public function an_unknown_option_is_wrong_usage_also_through_artisan(): void
    {
        foreach ([
            'spool:install', 'spool:flush', 'spool:work', 'spool:status', 'spool:clean', 'spool:health',
        ] as $command) {
            $refused = $this->app->artisan($command, '--bogus');
            self::assertSame([2, ''], [$refused->exit, $refused->out], $command);
            self::assertStringContainsString('The "--bogus" option does not exist.', $refused->err);
        }

        self::assertSame('', $this->app->log());
    }

    #[Test, Group('day-2')]
    public function a_wrong_configuration_breaks_nothing_but_what_needs_it(): void
    {
        $this->app->config('spool', "['retention' => 'long']");

        foreach (['list', 'about', 'schedule:list', 'config:cache', 'config:clear'] as $command) {
            $this->ok($command);
        }

        $message = "/spool\\.retention .*'long'.* 0 .* 31536000/";
        self::assertMatchesRegularExpression($message, $this->ok('about', '--only=headroom', '--json')->out);

        foreach ([
            'spool:flush', 'spool:work', 'spool:status', 'spool:clean', 'spool:health', 'spool:install',
        ] as $command) {
            $refused = $this->app->artisan($command);
            self::assertSame(1, $refused->exit, $command);
            self::assertMatchesRegularExpression(
                $message,
                (string) preg_replace('/\s+/', ' ', $refused->all()),
                $command,
            );
        }
    }

    #[Test]
    public function a_setting_that_a_request_does_not_use_does_not_refuse_its_event(): void
    {
        $this->app->config('spool', "['retention' => 'long']");
        $server = $this->app->serve();

        try {
            self::assertLessThan(300, Http::post("{$server->url()}/events/1")[0], $this->app->log());
            self::assertCount(1, (array) glob($this->app->path('storage/app/private/buffer/buckets/*/active/*.log')));
        } finally {
            $server->stop();
        }
    }

    #[Test]
    public function a_wrong_configuration_does_not_break_a_request_that_buffers_nothing(): void
    {
        $this->app->config('spool', "['paths' => '/elsewhere']");
        $server = $this->app->serve();

        try {
            self::assertSame([200, ['plain' => true]], Http::get("{$server->url()}/plain"));
            self::assertSame('', $this->app->log());

            self::assertSame(500, Http::post("{$server->url()}/events/1")[0]);
            self::assertStringContainsString('spool.paths ', $this->app->log());
            self::assertStringContainsString('InvalidConfig', $this->app->log());
        } finally {
            $server->stop();
        }
    }

    #[Test]
    public function the_schedule_can_be_turned_off(): void
    {
        self::assertStringContainsString('spool:flush', $this->ok('schedule:list')->out);

        foreach (['false', "'0'"] as $off) {
            $this->app->config('spool', "['schedule' => {$off}]");
            self::assertStringNotContainsString('spool:flush', $this->ok('schedule:list')->out);
        }

        $about = json_decode($this->ok('about', '--only=headroom', '--json')->out, true, flags: JSON_THROW_ON_ERROR);
        $flush = Dug::out($about, 'headroom', 'flush');
        self::assertIsString($flush);
        Snapshot::assertPrinted('about', 'the schedule is off', $flush);
    }

    private function ok(string ...$arguments): Outcome
    {
        $outcome = $this->app->artisan(...$arguments);
        self::assertSame(0, $outcome->exit, implode(' ', $arguments)."\n{$outcome->all()}{$this->app->log()}");

        return $outcome;
    }

    /** @return array<mixed> */
    private function migrations(): array
    {
        return (array) glob($this->app->path('database/migrations/*_create_spool_ledger_table.php'));
    }
}

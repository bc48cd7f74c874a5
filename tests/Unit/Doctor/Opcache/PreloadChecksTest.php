<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Opcache;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\Config\PoolSettings;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Status;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use Headroom\Tests\Unit\Doctor\Support\ExaminesPreloads;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Checks of opcache.preload: its files, its applications, and whether PHP-FPM starts with it again.
 */
final class PreloadChecksTest extends TestCase
{
    use ExaminesPreloads;

    /**
     * @return iterable<string, array{?array<string, mixed>, Status, list<string>}> the last is what the message names
     */
    public static function preloads(): iterable
    {
        $seen = ['changed' => 0, 'first' => false, 'script' => '/srv/app/preload.php'];

        yield 'nothing is preloaded' => [self::runtime('', null), Status::Skipped, []];
        yield 'it is as it was' => [self::runtime('/srv/app/preload.php', self::PRELOADED, $seen), Status::Pass, []];
        yield 'reached by a link that was not turned' => [
            self::runtime('/srv/current/preload.php', self::PRELOADED, $seen), Status::Pass, [],
        ];
        yield 'a file has changed' => [
            self::runtime(
                '/srv/app/preload.php',
                self::PRELOADED,
                ['changed' => 1, 'first' => '/srv/app/vendor/a/b/B.php'] + $seen,
            ),
            Status::Warn,
            ['1', '2'],
        ];
        yield 'a link was turned' => [
            self::runtime('/srv/current/preload.php', self::PRELOADED, ['script' => '/srv/new/preload.php'] + $seen),
            Status::Warn,
            ['/srv/app/preload.php', '/srv/new/preload.php'],
        ];
        yield 'a link was turned behind a script that stays' => [
            self::runtime(
                '/srv/app/preload.php',
                self::PRELOADED,
                ['script' => '/srv/app/preload.php', 'release' => ['/srv/releases/1/a.php', '/srv/releases/2/a.php']]
                    + $seen,
            ),
            Status::Warn,
            ['/srv/releases/1/a.php', '/srv/releases/2/a.php'],
        ];
        yield 'the script is gone' => [
            self::runtime('/srv/app/preload.php', self::PRELOADED, ['changed' => 1, 'script' => false] + $seen),
            Status::Warn,
            ['/srv/app/preload.php'],
        ];
        yield 'a script by a path that is not looked at' => [
            self::runtime('preload.php', self::PRELOADED, ['script' => null] + $seen), Status::Pass, [],
        ];
        yield 'a script that another one has run' => [
            self::runtime('/srv/first.php', self::PRELOADED, ['script' => '/srv/first.php'] + $seen), Status::Pass, [],
        ];
        yield 'a script that came to nothing' => [
            self::runtime('/srv/app/preload.php', ['scripts' => ['/srv/app/preload.php']], $seen),
            Status::Warn,
            ['/srv/app/preload.php'],
        ];
        yield 'a script that brought functions alone' => [
            self::runtime('/srv/app/preload.php', ['scripts' => ['/srv/app/preload.php'], 'functions' => ['f']], $seen),
            Status::Pass,
            [],
        ];
        yield 'a script that was not run' => [
            self::runtime('/srv/app/preload.php', null, $seen), Status::Warn, ['/srv/app/preload.php'],
        ];
        yield 'files could not be looked at' => [
            self::runtime('/srv/app/preload.php', self::PRELOADED), Status::Unknown, ['www'],
        ];
        yield 'opcache tells nothing' => [
            ['opcache_error' => 'it is restricted', 'configuration' => ['directives' => ['opcache.preload' => '/p']]],
            Status::Unknown,
            ['www', 'it is restricted'],
        ];
        yield 'the pool cannot be queried' => [null, Status::Unknown, ['a test says so']];
    }

    /**
     * @param ?array<string, mixed> $runtime
     * @param list<string> $shown
     */
    #[Test]
    #[DataProvider('preloads')]
    public function the_preloaded_files_are_compared_with_the_disk(?array $runtime, Status $status, array $shown): void
    {
        $finding = $this->examined('O9', $this->machine->fpm(['www' => []], [], $runtime))->results[0]->finding;

        self::assertSame($status, $finding->status, $finding->message);
        Examined::shows($shown, $finding->message);
    }

    #[Test]
    #[Group('snapshot')]
    public function each_state_of_a_preload_has_its_message(): void
    {
        $words = '';

        foreach (self::preloads() as $name => [$runtime]) {
            $words .= "O9, {$name}: "
                .$this->examined('O9', $this->machine->fpm(['www' => []], [], $runtime))->results[0]->finding->message
                ."\n";
        }

        Snapshot::assertPrinted('doctor preload', 'O9', $words);
    }

    #[Test]
    public function a_script_that_preloads_nothing_is_told_with_its_last_word(): void
    {
        $log = $this->machine->path(
            'php.log',
            "[01-Jan-2026 00:00:00 UTC] headroom preload: made for PHP 8.1\n[02-Jan-2026 00:00:00 UTC] headroom"
                ." preload: made for other packages\n[03-Jan-2026 00:00:00 UTC] PHP Warning: x\n",
        );
        $said = fn (string $ini, string $fpm): array => array_column(
            $this->examined(
                'O9',
                $this->machine->fpm(
                    ['www' => []],
                    ['error_log' => $fpm],
                    self::runtime('/p', null, ini: ['error_log' => $ini]),
                ),
            )->results[0]->finding->evidence,
            'value',
            'source',
        );

        self::assertSame(
            '[02-Jan-2026 00:00:00 UTC] headroom preload: made for other packages',
            $said($log, '')[$log] ?? null,
        );
        self::assertSame(
            '[02-Jan-2026 00:00:00 UTC] headroom preload: made for other packages',
            $said('/not/there', $log)[$log] ?? null,
        );
        self::assertStringNotContainsString('headroom preload', implode(' ', $said('', 'syslog')));
    }

    #[Test]
    public function a_pool_that_sets_opcache_preload_is_told_that_it_has_no_effect(): void
    {
        $file = $this->machine->path('www.conf', "[www]\nphp_admin_value[opcache.preload] = /p.php\n");
        $pools = $this->machine->fpm(['www' => []], [], self::runtime('/p.php', null));
        $with = fn (string $name): FpmPools => new FpmPools(
            [new FpmPool(
                $pools->pools[0]->master,
                $pools->pools[0]->settings->with(new PhpSetting($name, '/p.php', "{$file}:2")),
                new PoolSettings('global', []),
                null,
                probe: $this->machine->runtime(null),
            )],
            [],
            [],
        );
        $found = $this->examined('O13', $with('php_admin_value[opcache.preload]'));
        Examined::fires('O13', ['opcache.preload', '/p.php'], $found);
        $edits = $found->problems()[0]->finding->fix->edits ?? [];

        self::assertSame(
            ["[www]\n"],
            array_map(static fn (Edit $edit): string => $edit->appliedTo((string) file_get_contents($file)), $edits),
        );
        Examined::fires(
            'O13',
            ['opcache.preload', '/p.php'],
            $this->examined('O13', $with('php_value[opcache.preload]')),
        );
        Examined::shows(
            ['O13'],
            $this->examined(
                'O9',
                new FpmPools(
                    [new FpmPool(
                        $pools->pools[0]->master,
                        $pools->pools[0]->settings->with(new PhpSetting('php_value[opcache.preload]', '/p.php', 'x')),
                        new PoolSettings('global', []),
                        null,
                        probe: $this->machine->runtime(self::runtime('/p.php', null)),
                    )],
                    [],
                    [],
                ),
            )->results[0]->finding->message,
        );
        Examined::is(Status::Pass, $this->examined('O13', $pools));
        Examined::is(Status::Unknown, $this->examined('O13', $this->unseen()));
    }

    /** @return iterable<string, array{string, Status, list<string>}> the last is what the message names */
    public static function inis(): iterable
    {
        $shown = ['opcache.preload', 'opcache.preload_user'];

        yield 'nothing' => ["; opcache.preload=%SCRIPT%\nmemory_limit=1M\n", Status::Skipped, []];
        yield 'an empty one' => ["opcache.preload=\n", Status::Skipped, []];
        yield 'with a user' => ["opcache.preload=%SCRIPT%\nopcache.preload_user=root\n", Status::Pass, []];
        yield 'without one' => ["opcache.preload = \"%SCRIPT%\"\n", Status::Fail, $shown];
        yield 'with one that is taken back' => [
            "opcache.preload=%SCRIPT%\nopcache.preload_user=root\n[opcache]\nopcache.preload_user =\n",
            Status::Fail,
            $shown,
        ];
        yield 'a user that is none' => [
            "opcache.preload=%SCRIPT%\nopcache.preload_user=nobody-at-all\n",
            Status::Fail,
            ['opcache.preload_user', 'nobody-at-all'],
        ];
        yield 'opcache is off' => ["opcache.enable=0\nopcache.preload=/not/there.php\n", Status::Skipped, []];
        yield 'a file that is not there' => [
            "opcache.preload=/not/there.php\nopcache.preload_user=root\n",
            Status::Fail,
            ['opcache.preload', '/not/there.php'],
        ];
        yield 'a path that PHP looks for' => [
            "opcache.preload=there.php\nopcache.preload_user=root\n", Status::Pass, [],
        ];
        yield 'for one directory' => ["[PATH=/srv]\nopcache.preload=/not/there.php\n", Status::Skipped, []];
        yield 'a variable' => ["opcache.preload=\${PRELOAD}\n", Status::Unknown, []];
    }

    /** @param list<string> $shown */
    #[Test]
    #[DataProvider('inis')]
    public function whether_php_fpm_starts_again(string $ini, Status $status, array $shown): void
    {
        $main = $this->machine->path('php.ini', "memory_limit=1M\n");
        $own = $this->machine->path(
            'own.ini',
            strtr($ini, ['%SCRIPT%' => $this->machine->path('preload.php', '<?php')]),
        );
        $pools = $this->machine->fpm(['www' => []], [], self::runtime('', null) + ['ini_files' => [$main, $own]]);
        $found = $this->examined('O15', $pools);
        Examined::is($status, $found);

        if ($status === Status::Fail) {
            Examined::fires('O15', $shown, $found);

            foreach ($found->problems()[0]->finding->fix->edits ?? [] as $edit) {
                self::assertSame($own, $edit->file);
                file_put_contents($edit->file, $edit->appliedTo((string) file_get_contents($edit->file)));
            }

            self::assertSame([], $this->examined('O15', $pools)->problems());
        }
    }

    #[Test]
    public function a_file_that_came_after_php_fpm_was_started_is_read_too(): void
    {
        $main = $this->machine->path('php.ini', "opcache.preload=/not/there.php\n");
        $pools = $this->machine->fpm(
            ['www' => []],
            [],
            self::runtime('', null) + ['ini_files' => [$main, $this->machine->path('a.ini', "\n")]],
        );
        Examined::shows(
            ['opcache.preload', '/not/there.php'],
            $this->examined('O15', $pools)->problems()[0]->finding->message,
        );

        $this->machine->path('z.ini', "opcache.preload=\n");
        self::assertSame([], $this->examined('O15', $pools)->problems());
    }

    #[Test]
    public function the_next_start_of_hidden_and_distant_pools_is_unknown(): void
    {
        Examined::is(
            Status::Unknown,
            $this->examined('O15', $this->machine->fpm(['www' => []], [], self::runtime('', null))),
        );
        Examined::is(Status::Unknown, $this->examined('O15', $this->machine->fpm(['www' => []], [], null)));
        Examined::is(Status::Unknown, $this->examined('O15', $this->unseen()));
    }

    #[Test]
    public function packages_for_development_that_are_preloaded(): void
    {
        $finding = function (string $dev, bool $preloads = true, string $environment = 'production'): Finding {
            $pools = $this->machine->fpm(['www' => []], [], self::runtime('/p', $preloads ? self::PRELOADED : null));
            $application = new Application(
                '/srv/app',
                '12.0.0',
                $environment,
                false,
                [],
                [],
                devPackages: explode(' ', $dev),
            );

            return Examined::by('O16', [
                FpmPools::class => static fn (): FpmPools => $pools,
                Application::class => static fn (): Application => $application,
            ])->results[0]->finding;
        };

        self::assertTrue($finding('x/y a/b')->status->isProblem());
        Examined::shows(['1'], $finding('x/y a/b')->message);
        self::assertSame(Status::Pass, $finding('x/y a/bc')->status);
        self::assertSame(Status::Skipped, $finding('a/b', false)->status);
        self::assertSame(Status::Skipped, $finding('a/b', environment: 'local')->status);
    }
}

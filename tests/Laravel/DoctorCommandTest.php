<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Doctor\Runner\CheckList;
use Headroom\Process\Programs;
use Headroom\Tests\Acceptance\Doctor\Planted\PrintedFix;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * headroom:doctor in an application of its own: each planted problem is found, and its fix, done as printed, fixes it.
 */
#[Group('snapshot')]
final class DoctorCommandTest extends ApplicationTestCase
{
    private const CONFIG = [
        'session' => "['driver' => env('SESSION_DRIVER', 'database'), 'connection' => null, 'lottery' => [2, 100],"
            ." 'table' => 'sessions', 'cookie' => 's']",
        'cache' => "['default' => env('CACHE_STORE', 'database'), 'stores' => ['database' => ['driver' => 'database',"
            ." 'retry_after' => 90], 'redis' => ['driver' => 'redis', 'connection' => 'cache', 'lock_connection' =>"
            ." 'default']]]",
        'queue' => "['default' => env('QUEUE_CONNECTION', 'database'), 'connections' => ['database' => ['driver' =>"
            ." 'database', 'retry_after' => 90], 'redis' => ['driver' => 'redis', 'connection' => 'default',"
            ." 'retry_after' => 90, 'block_for' => 5]]]",
        'logging' => "['default' => 'single', 'channels' => ['single' => ['driver' => 'single', 'path' =>"
            ." storage_path('logs/laravel.log'), 'level' => env('LOG_LEVEL', 'debug')]]]",
        'database' => "['default' => 'sqlite', 'connections' => ['sqlite' => ['driver' => 'sqlite', 'database' =>"
            ." database_path('database.sqlite')]], 'redis' => ['client' => 'phpredis', 'options' => ['persistent' =>"
            ." env('REDIS_PERSISTENT', false)], 'default' => ['host' => '127.0.0.1', 'port' => 1, 'database' => 0,"
            ." 'timeout' => 1, 'read_timeout' => 9], 'cache' => ['host' => '127.0.0.1', 'port' => 1, 'database' => 1,"
            ." 'timeout' => 1, 'read_timeout' => 9]]]",
    ];

    /** @return list<string> what the application is asked for; not about the servers that run beside this test */
    private static function only(): array
    {
        // L22 depends on the installed Laravel and on the date.
        $ids = array_diff(CheckList::ofPackage()->ids(), ['L22']);

        return array_values(array_map(
            static fn (string $id): string => "--only={$id}",
            array_filter($ids, static fn (string $id): bool => in_array($id[0], ['R', 'D', 'L'], true)),
        ));
    }

    private function doctor(string ...$options): Outcome
    {
        return $this->app->artisan('headroom:doctor', ...self::only(), ...array_values($options));
    }

    #[Test, Group('day-2')]
    public function each_planted_problem_is_found_and_fixed_by_the_change_as_printed(): void
    {
        $this->plant();
        $expected = ['L1', 'L13', 'L2', 'L3', 'L4', 'L7', 'L8', 'L9'];
        self::assertSame($expected, $this->ids($this->findings(1)));
        $fixed = [];

        for ($round = 0; $round < 4 && ($findings = $this->findings(null)) !== []; $round++) {
            foreach ($findings as $finding) {
                $fixed[] = $finding['id'];
                $this->apply($finding['fix']);
            }
        }

        self::assertSame([], $this->findings(0));
        // The move of the session to Redis includes the settings of the connection, so R1 finds nothing.
        self::assertEqualsCanonicalizing($expected, array_unique($fixed));
        self::assertStringContainsString("SESSION_DRIVER=redis\n", $this->app->read('.env'));
    }

    #[Test]
    public function a_fix_of_an_environment_variable_does_not_edit_the_env_file(): void
    {
        $this->plant();
        $fix = $this->findings(1, ['LOG_LEVEL' => 'debug'], '--only=L13', '--fail-on=medium')[0]['fix'];

        self::assertSame([], $fix['edits']);
        Sentence::assertNames(['LOG_LEVEL', '.env', 'warning'], $fix['text']);
        Snapshot::assertPrinted('doctor application', 'L13, LOG_LEVEL is in the environment', $fix['text']);
    }

    #[Test]
    #[Group('proof')]
    public function a_baseline_holds_what_is_known_and_tells_what_is_new(): void
    {
        $this->plant();
        self::assertSame(
            0,
            $this->doctor('--fail-on=never', "--write-baseline={$this->app->path('known.json')}")->exit,
        );
        self::assertSame(
            ['known' => ['L1', 'L13 channel single', 'L2', 'L3', 'L4', 'L7', 'L8', 'L9']],
            json_decode($this->app->read('known.json'), true),
        );
        self::assertSame([], $this->findings(0, [], "--baseline={$this->app->path('known.json')}", '--fail-on=info'));

        $this->app->write('.env', "APP_ENV=production\nQUEUE_CONNECTION=redis\n");
        self::assertSame(['R1'], $this->ids($this->findings(1, [], "--baseline={$this->app->path('known.json')}")));

        self::assertSame(0, $this->doctor('--ignore=R1', '--ignore=L7', '--fail-on=high')->exit);
        self::assertSame(0, $this->doctor('--fail-on=critical')->exit);
    }

    #[Test]
    public function files_for_a_browser_and_for_programs_hold_what_was_found(): void
    {
        $this->plant();
        $this->app->write('.env', "APP_ENV=production\nAPP_DEBUG=true\nAPP_NAME=\"<script>alert(1)</script>\"\n");
        self::assertSame(
            1,
            $this->doctor(
                '--output='.$this->app->path('r.html'),
                '--output='.$this->app->path('r.json'),
            )->exit,
        );

        $html = $this->app->read('r.html');
        self::assertStringContainsString('"id":"finding-l4"', $html);
        self::assertStringNotContainsString('<script>alert', $html);

        self::assertSame(
            array_keys((array) json_decode($this->app->read('r.json'), true)),
            ['counts', 'findings', 'looked_for'],
        );
    }

    #[Test, Group('day-3')]
    public function wrong_usage_names_the_known_values(): void
    {
        $this->plant();

        $said = '';

        foreach ([
            '--only=Q9' => ["'Q9'", 'D1, D2'],
            '--ignore=Q9 pool' => ["'Q9'"],
            '--explain=Q9' => ["'Q9'"],
            '--fail-on=bad' => ['--fail-on', "'bad'", 'critical', 'high', 'medium', 'low', 'info', 'never'],
            '--baseline=/nowhere.json' => ['--baseline', '/nowhere.json', '--write-baseline=/nowhere.json'],
            "--baseline={$this->app->path('.env')}" => [$this->app->path('.env'), '--write-baseline', '{"known":'],
            '--output=report.txt' => ["'report.txt'", '.json', '.html'],
            '--output=/nowhere/report.html' => ["'/nowhere/report.html'"],
            '--write-baseline=/nowhere/known.json' => ['--write-baseline', '/nowhere/known.json'],
        ] as $option => $names) {
            $outcome = $this->app->artisan('headroom:doctor', $option);
            self::assertSame(2, $outcome->exit, $option);
            Sentence::assertNames($names, $outcome->all());
            $line = (string) preg_replace('/\s+/', ' ', $outcome->all());
            $said .= "{$option}: ".preg_replace('/(?<= D1), .*/', ', ...', $line)."\n";
        }

        Snapshot::assertPrinted('doctor', 'wrong usage', $said);
        self::assertStringStartsWith('# L9: ', $this->app->artisan('headroom:doctor', '--explain=L9')->out);
    }

    private function plant(): void
    {
        foreach (self::CONFIG as $name => $code) {
            $this->app->config($name, $code);
        }

        $this->app->write('composer.json', '{"autoload": {"psr-4": {"App\\\\": "app/"}}}');
        $this->app->write('resources/views/page.blade.php', '{{ $text }}');
        $this->app->write(
            '.env',
            "APP_ENV=production\nAPP_DEBUG=true\nAPP_KEY=base64:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n",
        );
        $this->app->config(
            'app',
            "['env' => env('APP_ENV', 'production'), 'debug' => (bool) env('APP_DEBUG', false), 'key' =>"
                ." env('APP_KEY'), 'cipher' => 'AES-256-CBC', 'locale' => 'en', 'fallback_locale' => 'en', 'timezone'"
                ." => 'UTC', 'name' => 'x', 'url' => 'http://localhost']",
        );
    }

    /**
     * @param array<string, string> $env
     * @return list<array{
     *     id: string,
     *     fix: array{
     *         text: string,
     *         edits: list<array{file: string, line: ?int, old: ?string, new: ?string}>,
     *         commands: list<string>,
     *     },
     * }>
     */
    private function findings(?int $exit, array $env = [], string ...$options): array
    {
        $outcome = $this->app->run(
            [
                Programs::php(),
                'artisan',
                '--no-ansi',
                'headroom:doctor',
                '--json',
                ...(preg_grep('/^--only=/', $options) === [] ? self::only() : []),
                ...array_values($options),
            ],
            $env,
        );
        /**
         * @var array{
         *     counts: array<string, int>,
         *     findings: list<array{
         *         id: string,
         *         status: string,
         *         fix: array{
         *             text: string,
         *             edits: list<array{file: string, line: ?int, old: ?string, new: ?string}>,
         *             commands: list<string>,
         *         },
         *     }>,
         * } $read
         */
        $read = json_decode($outcome->out, true, flags: JSON_THROW_ON_ERROR);
        self::assertSame(0, $read['counts']['crashed'], $outcome->out);

        if ($exit !== null) {
            self::assertSame($exit, $outcome->exit, $outcome->all());
        }

        return array_values(array_filter(
            $read['findings'],
            static fn (array $finding): bool => in_array($finding['status'], ['warn', 'fail'], true),
        ));
    }

    /**
     * @param list<array{id: string, ...}> $findings
     * @return list<string>
     */
    private function ids(array $findings): array
    {
        $ids = array_column($findings, 'id');
        sort($ids);

        return $ids;
    }

    /**
     * @param array{
     *     edits: list<array{file: string, line: ?int, old: ?string, new: ?string}>,
     *     commands: list<string>,
     *     ...
     * } $fix
     */
    private function apply(array $fix): void
    {
        PrintedFix::of($fix)->apply(function (string $command): void {
            // There is no PHP-FPM here.
            if (str_starts_with($command, 'php artisan ')) {
                $outcome = $this->app->artisan(...explode(' ', substr($command, strlen('php artisan '))));
                self::assertSame(0, $outcome->exit, $outcome->all());
            }
        });
    }
}

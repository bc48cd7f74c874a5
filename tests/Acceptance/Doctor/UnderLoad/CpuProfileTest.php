<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\UnderLoad;

use Headroom\Console\Doctor\DoctorCommand;
use Headroom\Core\SystemClock;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\Runtime\PoolRuntime;
use Headroom\Doctor\Fpm\Runtime\RuntimeReader;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Doctor\UnderLoad\Profile\CpuProfile;
use Headroom\Doctor\UnderLoad\Profile\Excimer;
use Headroom\Doctor\UnderLoad\Profile\HotFunction;
use Headroom\Doctor\UnderLoad\Profile\LoadedPage;
use Headroom\Doctor\UnderLoad\Profile\LoadedScript;
use Headroom\Doctor\UnderLoad\Profile\PoolProfiler;
use Headroom\Host\Fpm\FastCgiClient;
use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Tests\Acceptance\Doctor\ExcimerModule;
use Headroom\Tests\Acceptance\Doctor\Stack;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Support\CpuShare;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * A real pool in which one known function takes the CPU time.
 */
final class CpuProfileTest extends TestCase
{
    /** Sieve::primes() works on line 6, and Sieve::page() calls it; Sieve::cheap() takes little. */
    private const SCRIPT = <<<'PHP'
        <?php
        final class Sieve
        {
            public static function primes(int $most): int
            {
                for ($n = $most; $n > 2; $n--) { for ($d = 2; $d * $d <= $n && $n % $d; $d++); }
                return $d;
            }
            public static function cheap(): int { for ($i = 0, $n = 0; $i < 40_000; $i++) { $n += $i % 3; } return $n; }
            public static function page(int $most): int { return self::primes($most) + self::cheap(); }
        }
        $told = [$_GET['as'] ?? '', $_SERVER['SCRIPT_NAME'], $_SERVER['SCRIPT_FILENAME'], getcwd()];
        if ($told !== ['asked', '/index.php', __FILE__, __DIR__]) { http_response_code(500); }
        echo Sieve::page((int) ($_GET['most'] ?? 60_000)), ' ', json_encode(ini_get('auto_prepend_file'));
        PHP;

    #[Test]
    public function the_function_that_takes_the_cpu_time_is_named_first(): void
    {
        $stack = self::stack(self::SCRIPT);
        $stack->get('as=asked');

        $profile = self::profile($stack, '/?as=asked');
        $rows = array_map(static fn (HotFunction $function): array => $function->toArray(), $profile->functions);
        $functions = array_column($rows, null, 'function');
        $hottest = $profile->functions[0];

        self::assertSame('Sieve::primes()', $hottest->name);
        self::assertSame($stack->path('index.php').':6', $hottest->place());
        self::assertGreaterThan(0.6, $hottest->self);
        self::assertLessThan(0.1, $functions['Sieve::page()']['self'], 'It only calls.');
        self::assertGreaterThan(0.8, $functions['Sieve::page()']['inclusive']);
        self::assertEqualsWithDelta(1.0, array_sum(array_column($functions, 'self')), 0.001);
        self::assertSame($stack->path('index.php'), $profile->script);
    }

    /** @return iterable<string, array{array<string, string>}> */
    public static function pools(): iterable
    {
        $one = ['pm.max_children = 4' => 'pm.max_children = 1'];

        yield 'one process' => [$one];
        $withoutListener = ['pm.status_listen = %DIR%/status.sock' => ''];
        yield 'one process that answers for the status as well' => [$one + $withoutListener];
        yield 'no status page' => [['pm.status_path = /fpm-status' => ''] + $withoutListener];
    }

    /** @param array<string, string> $fpm */
    #[Test]
    #[DataProvider('pools')]
    public function the_script_is_found_in_each_pool(array $fpm): void
    {
        $stack = self::stack(self::SCRIPT, $fpm);
        $stack->get('as=asked');

        // Twice: the doctor's own scripts are not the application's.
        self::profile($stack, '/?as=asked');
        $profile = self::profile($stack, '/?as=asked');

        self::assertSame($stack->path('index.php'), $profile->script);
        self::assertSame('Sieve::primes()', $profile->hottest()?->name);
    }

    #[Test]
    public function a_page_of_laravel_is_sampled_as_the_web_server_asks_for_it(): void
    {
        $app = ScratchApplication::onThisCheckout();
        $app->shareWithEverybody();
        chmod($app->path('.env'), 0o644);
        $app->write('app/Report.php', <<<'PHP'
            <?php
            namespace App;
            final class Report
            {
                public static function rows(int $n): int
                {
                    for ($i = 0, $t = 0; $i < $n * 1_000; $i++) { $t += $i % 7; }
                    return $t;
                }
            }
            PHP);
        $app->write('routes/api.php', <<<'PHP'
            <?php
            Illuminate\Support\Facades\Route::get('/reports/{rows}', function (int $rows) {
                abort_unless([url('/x'), request('sort')] === ['http://shop.test/x', 'name'], 500);
                return response((string) App\Report::rows($rows));
            });
            PHP);
        $stack = self::stack('<?php', [], $app->env());
        $index = $app->path('public/index.php');
        $pool = $stack->pools()->pools[0];
        $page = new LoadedPage('/reports/900?sort=name', 'shop.test', 80, false);

        try {
            $asked = ['SCRIPT_FILENAME' => $index, 'SCRIPT_NAME' => '/index.php'] + $page->params($index, '');
            (new FastCgiClient)->ask($pool->address(), $asked);
            $profiler = new PoolProfiler(new SystemClock, new Excimer(''), new LoadedScript(null));
            $profile = $profiler->profile($pool, $page, 200, 10.0);
        } finally {
            $app->remove();
        }

        self::assertSame($index, $profile->script);
        self::assertSame('App\Report::rows()', $profile->hottest()?->name, (string) json_encode($profile->toArray()));
    }

    /** @return iterable<string, array{string}> */
    public static function hosts(): iterable
    {
        yield 'a function is switched off' => ['php_admin_value[disable_functions] = exec,getrusage'];
        yield 'the temporary directory is closed' => ['php_admin_value[open_basedir] = %DIR%'];
    }

    #[Test]
    #[DataProvider('hosts')]
    public function a_host_that_forbids_it_is_named(string $line): void
    {
        $opcache = 'php_admin_value[opcache.enable] = 1';
        $script = '<?php for ($i = 0; $i < 1_000_000; $i++); echo "served";';
        $stack = self::stack($script, [$opcache => "{$opcache}\n{$line}"]);
        self::assertSame('served', $stack->get());

        $this->expectException(FactUnavailable::class);
        $this->expectExceptionMessageMatches('/getrusage|open_basedir/');
        self::profile($stack, '/');
    }

    #[Test]
    public function a_pool_without_excimer_is_told_how_to_get_it(): void
    {
        $stack = self::stack('<?php echo "served";');
        $stack->get();
        $own = $stack->pools()->pools[0];
        $json = ['version' => '8.2.36', 'sapi' => 'fpm-fcgi', 'ini_files' => ['/etc/php/8.2/fpm/php.ini']];
        $runtime = self::createStub(RuntimeReader::class);
        $runtime->method('ask')->willReturn(PoolRuntime::fromProbe((string) json_encode($json), $own->address()));

        try {
            $pool = new FpmPool($own->master, $own->settings, $own->global, null, probe: $runtime);
            self::profile($stack, '/', pool: $pool);
            self::fail('It has named functions.');
        } catch (FactUnavailable $e) {
            self::assertSame("sudo apt-get install -y php-excimer && {$own->reload()}", $e->command);
        }
    }

    #[Test]
    public function the_processes_that_were_sampled_keep_nothing_of_it(): void
    {
        $stack = self::stack(self::SCRIPT);
        $stack->get('as=asked');

        self::profile($stack, '/?as=asked');

        // More requests than processes: each has answered.
        for ($request = 0; $request < 12; $request++) {
            self::assertStringEndsWith(' ""', $stack->get('as=asked'));
        }
    }

    /** @return iterable<string, array{string, string}> the name, and the code of the page */
    public static function functions(): iterable
    {
        $loop = 'for ($i = 0, $n = 0; $i < 2_000_000; $i++) { $n += $i % 3; }';

        yield 'a closure' => ['{closure}:2', "\n(function () { {$loop} })();"];
        yield 'code outside of functions' => ['code of index.php', $loop];
        $short = str_replace('2_000_000', '40_000', $loop);
        yield 'a function that calls itself' => ['down()', "
            function down(int \$to): void { {$short} if (\$to > 0) { down(\$to - 1); } }
            down(40);"];
        yield 'a function of PHP, at the function that calls it' => ['digest()', '
            function digest(): string { return hash_pbkdf2("sha256", "a", "b", 100_000); }
            digest();'];
        yield 'work after the answer' => ['Later::work()', "
            final class Later { public static function work(): void { {$loop} } }
            echo 'answered';
            fastcgi_finish_request();
            Later::work();"];
        yield 'work at the end of a request' => ['late()', "
            function late(): void { {$loop} }
            register_shutdown_function('late');"];
        yield 'a generator' => ['rows()', "
            function rows(): iterable { for (\$row = 0; \$row < 9; \$row++) { {$short} yield \$row; } }
            for (\$page = 0; \$page < 9; \$page++) { iterator_to_array(rows()); }"];
        yield 'a method of a namespace' => ['Shop\Cart::total()', "
            namespace Shop;
            final class Cart { public function total(): void { {$loop} } }
            (new Cart)->total();"];
        yield 'a page that mostly sleeps' => ['burn()', "
            function rest(): void { usleep(100_000); }
            function burn(): void { {$loop} }
            rest();
            burn();"];
        yield 'a page that exits' => ['early()', "function early(): void { {$loop} exit; } early();"];
    }

    #[Test]
    #[DataProvider('functions')]
    public function functions_are_named_by_how_they_are_written(string $name, string $code): void
    {
        $stack = self::stack("<?php {$code}");
        $stack->get();

        $profile = self::profile($stack, '/');

        self::assertSame($name, $profile->functions[0]->name, (string) json_encode($profile->toArray()));
        self::assertGreaterThan(0.7, $profile->functions[0]->self);
        self::assertLessThanOrEqual(1.0, $profile->functions[0]->inclusive);
    }

    /** @return iterable<string, array{string, ?int}> what the page does, and what the load was answered with */
    public static function pagesWithoutProfile(): iterable
    {
        yield 'it takes no CPU time' => ['echo "served";', 200];
        $work = 'for ($i = 0; $i < 4_000_000; $i++);';
        yield 'it answers otherwise than the load was answered' => ["http_response_code(503); {$work}", 200];
        yield 'it ends its process' => ['posix_kill(getmypid(), SIGKILL);', 200];
    }

    #[Test]
    #[DataProvider('pagesWithoutProfile')]
    public function where_the_samples_do_not_tell_there_is_no_profile(string $code, ?int $status): void
    {
        $stack = self::stack("<?php {$code}");
        $stack->get();

        try {
            self::profile($stack, '/', $status);
            self::fail('It has named functions.');
        } catch (FactUnavailable|UnableToQueryPool $e) {
            self::assertNotSame('', $e->command);
        }
    }

    #[Test]
    #[Group('quiet')]
    #[Group('day-1')]
    public function the_doctor_names_the_function_where_it_says_that_the_cpus_are_full(): void
    {
        $stack = self::stack(self::SCRIPT);
        $facts = static fn (array $told): Facts => $stack->facts();
        $doctor = new DoctorCommand(
            CheckList::ofPackage(...),
            $facts,
            new SystemClock,
            UnderLoadDocument::LOAD,
        );
        $command = new CommandTester($doctor);
        $before = CpuShare::now();
        $url = $stack->url('as=asked&most=260000');
        $command->execute(['--url' => $url, '--json' => true, '--duration' => '5', '--concurrency' => '20']);
        $live = UnderLoadDocument::of($command->getDisplay(), $before);

        $live->assertCause('cpu-full');
        self::assertSame('Sieve::primes()', $live->text('profile', 'functions', 0, 'function'), $live->told());
        self::assertStringContainsString('Sieve::primes()', $live->text('sentence'));
        self::assertSame('Sieve::primes()', $live->text('evidence', 0, 'what'));
    }

    /**
     * @param array<string, string> $fpm
     * @param array<string, string> $env
     */
    private static function stack(string $script, array $fpm = [], array $env = []): Stack
    {
        ExcimerModule::mustBeInstalled();

        $pass = '            fastcgi_pass php;';

        $named = "            fastcgi_param SCRIPT_NAME /index.php;\n{$pass}";

        return new Stack([$pass => $named], $fpm, script: $script, env: $env);
    }

    private static function profile(Stack $stack, string $path, ?int $status = 200, ?FpmPool $pool = null): CpuProfile
    {
        $script = new LoadedScript($stack->facts()->get(NginxServers::class));
        $page = new LoadedPage($path, '127.0.0.1:80', 80, false);

        $profiler = new PoolProfiler(new SystemClock, new Excimer(''), $script);

        return $profiler->profile($pool ?? $stack->pools()->pools[0], $page, $status, 10.0);
    }
}

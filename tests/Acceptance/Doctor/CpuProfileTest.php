<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Cli\Doctor\DoctorCommand;
use Headroom\Core\SystemClock;
use Headroom\Doctor\Checks\Checks;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Fpm\PoolRuntime;
use Headroom\Doctor\Live\Profile\CpuProfile;
use Headroom\Doctor\Live\Profile\Excimer;
use Headroom\Doctor\Live\Profile\HotFunction;
use Headroom\Doctor\Live\Profile\Page;
use Headroom\Doctor\Live\Profile\PoolProfiler;
use Headroom\Doctor\UnknownFact;
use Headroom\Host\Fpm\UnableToAsk;
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
                for ($n = 2, $found = 0; $n < $most; $n++) { for ($d = 2; $d * $d <= $n && $n % $d !== 0; $d++); $found += $d * $d > $n ? 1 : 0; }
                return $found;
            }
            public static function cheap(): int { for ($i = 0, $n = 0; $i < 40_000; $i++) { $n += $i % 3; } return $n; }
            public static function page(): int { return self::primes(60_000) + self::cheap(); }
        }
        if (($_GET['as'] ?? '') !== 'asked' || $_SERVER['SCRIPT_NAME'] !== '/index.php' || $_SERVER['SCRIPT_FILENAME'] !== __FILE__ || getcwd() !== __DIR__) {
            http_response_code(500);
        }
        echo Sieve::page(), ' ', json_encode(ini_get('auto_prepend_file'));
        PHP;

    #[Test]
    public function the_function_that_takes_the_cpu_time_is_named_first(): void
    {
        $stack = self::stack(self::SCRIPT);
        $stack->get('as=asked');

        $profile = self::profile($stack, '/?as=asked');
        $functions = array_column(array_map(static fn (HotFunction $function): array => $function->toArray(), $profile->functions), null, 'function');
        $hottest = $profile->functions[0];

        self::assertSame(['Sieve::primes()', $stack->path('index.php'), 6], [$hottest->name, $hottest->file, $hottest->line]);
        self::assertGreaterThan(0.6, $hottest->self);
        self::assertLessThan(0.1, $functions['Sieve::page()']['self'], 'It only calls.');
        self::assertGreaterThan(0.8, $functions['Sieve::page()']['inclusive']);
        self::assertEqualsWithDelta(1.0, array_sum(array_column($functions, 'self')), 0.001);
        self::assertSame($stack->path('index.php'), $profile->script);
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

        self::assertSame([], glob(sys_get_temp_dir().'/headroom-probe-*/*.samples'));
    }

    /** @return iterable<string, array{string, string}> the name, and the code of the page */
    public static function functions(): iterable
    {
        $loop = 'for ($i = 0, $n = 0; $i < 2_000_000; $i++) { $n += $i % 3; }';

        yield 'a closure' => ['{closure}:2', "\n(function () { {$loop} })();"];
        yield 'code outside of functions' => ['code of index.php', $loop];
        yield 'a function that calls itself' => ['down()', 'function down(int $to): void { for ($i = 0, $n = 0; $i < 40_000; $i++) { $n += $i % 3; } $to > 0 && down($to - 1); } down(40);'];
        yield 'PHP\'s own functions, at the function that calls them' => ['digest()', 'function digest(): string { return hash_pbkdf2("sha256", "a", "b", 100_000); } digest();'];
        yield 'work after the answer' => ['Later::work()', "final class Later { public static function work(): void { {$loop} } } echo 'answered'; fastcgi_finish_request(); Later::work();"];
        yield 'work at the end of the process\'s request' => ['late()', "function late(): void { {$loop} } register_shutdown_function('late');"];
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
        yield 'it answers otherwise than the load was answered' => ['http_response_code(503); for ($i = 0; $i < 4_000_000; $i++);', 200];
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
        } catch (UnknownFact|UnableToAsk $e) {
            self::assertNotSame('', $e->command);
        }
    }

    #[Test]
    public function a_pool_without_excimer_is_told_how_to_get_it(): void
    {
        $stack = new Stack(fpm: ['php_admin_value[opcache.enable] = 1' => "php_admin_value[opcache.enable] = 1\nphp_admin_value[disable_functions] = getrusage"]);
        $pool = $stack->pools()->pools[0];
        $runtime = PoolRuntime::fromProbe((string) json_encode(['version' => '8.2.36', 'sapi' => 'fpm-fcgi', 'ini_files' => ['/etc/php/8.2/fpm/php.ini']]), $pool->address());

        self::assertSame('sudo apt-get install -y php-excimer', (new Excimer("Package: php8.2-fpm\nStatus: install ok installed\nVersion: 8.2.36-1~deb12u1\n\n"))->install($runtime));
    }

    #[Test]
    #[Group('quiet')]
    #[Group('day-1')]
    public function the_doctor_names_the_function_where_it_says_that_the_cpus_are_full(): void
    {
        $stack = self::stack(self::SCRIPT);
        $command = new CommandTester(new DoctorCommand(static fn (): array => Checks::all(), static fn (array $told): Facts => $stack->facts(), new SystemClock, LiveDocument::LOAD));
        $before = CpuShare::now();
        $command->execute(['--url' => $stack->url('as=asked'), '--json' => true, '--duration' => '5', '--concurrency' => '20']);
        $live = LiveDocument::of($command->getDisplay(), $before);

        $live->assertCause('cpu-full');
        self::assertSame('Sieve::primes()', $live->text('profile', 'functions', 0, 'function'), $live->told());
        self::assertStringContainsString('Sieve::primes()', $live->text('sentence'));
        self::assertSame('Sieve::primes()', $live->text('evidence', 0, 'what'));
    }

    private static function stack(string $script): Stack
    {
        ExcimerModule::mustBeInstalled();

        return new Stack(['            fastcgi_pass php;' => "            fastcgi_param SCRIPT_NAME /index.php;\n            fastcgi_pass php;"], script: $script);
    }

    private static function profile(Stack $stack, string $path, ?int $status = 200): CpuProfile
    {
        return (new PoolProfiler(new SystemClock, new Excimer('')))->profile($stack->pools()->pools[0], new Page($path, '127.0.0.1:80', 80, false), $status, 10.0);
    }
}

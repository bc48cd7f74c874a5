<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Spool\FileStore\Fsync\PowerSync;
use Headroom\Spool\Health\FunctionsAreDisabled;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\UnableToCall;
use Headroom\Tests\Laravel\Support\SharedHost;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\TestCase;

/**
 * The article's steps on hosts that switch functions off, or shut PHP into the site's folder. The commands of the
 * application end as they do without this package; those of this package work, or say what is missing.
 */
final class SharedHostTest extends TestCase
{
    /**
     * Functions that known hosts and guides to a hardened php.ini disable, and others that ask the system something.
     */
    private const FUNCTIONS = [
        'disk_free_space', 'disk_total_space', 'flock', 'getcwd', 'getmypid', 'getmyuid', 'gethostname',
        'get_current_user',
        'php_uname', 'set_time_limit', 'ini_set', 'ini_get', 'error_log', 'putenv', 'getenv', 'umask', 'chmod',
        'chown', 'chgrp', 'touch',
        'symlink', 'link', 'readlink', 'realpath', 'is_link', 'lstat', 'stat', 'fileowner', 'filegroup', 'fileperms',
        'fileinode', 'filemtime', 'scandir', 'glob', 'tempnam',
        'rename', 'unlink', 'mkdir', 'fsync', 'fdatasync', 'ftruncate', 'fstat', 'fopen', 'fwrite', 'proc_open',
        'exec', 'shell_exec',
        'posix_geteuid', 'posix_getpwuid', 'posix_getppid', 'posix_kill', 'posix_strerror', 'posix_isatty',
        'stream_isatty',
        'pcntl_fork', 'pcntl_signal', 'pcntl_async_signals', 'pcntl_alarm', 'pcntl_waitpid',
        'register_shutdown_function',
        'clearstatcache', 'is_executable', 'is_writable', 'file', 'sys_get_temp_dir', 'stream_set_read_buffer',
        'fflush', 'stream_get_contents',
    ];

    /** The functions that a panel disables by default, and all functions that report users and processes. */
    private const LISTS = [
        'a panel' => 'passthru,exec,system,putenv,chroot,chgrp,chown,shell_exec,popen,proc_open,pcntl_exec,ini_alter,'
            .'ini_restore,dl,openlog,syslog,readlink,symlink,'
            .'pcntl_alarm,pcntl_fork,pcntl_waitpid,pcntl_wait,pcntl_wifexited,pcntl_wifstopped,pcntl_wifsignaled,'
            .'pcntl_wexitstatus,pcntl_wtermsig,pcntl_wstopsig,'
            .'pcntl_signal,pcntl_signal_dispatch,pcntl_sigprocmask,pcntl_sigwaitinfo,pcntl_sigtimedwait,'
            .'disk_free_space,disk_total_space,getmypid,php_uname',
        'users and processes' => 'posix_geteuid,posix_getpwuid,posix_getppid,posix_kill,getmypid,getmyuid,fileowner,'
            .'filegroup,fileperms,get_current_user,gethostname',
    ];

    private const OF_THE_APPLICATION = ['list', 'about', 'migrate:status'];

    private ?SharedHost $host = null;

    protected function tearDown(): void
    {
        $this->host?->remove();
    }

    /** @return array<string, array{string}> */
    public static function functions(): iterable
    {
        return array_map(
            static fn (string $functions): array => [$functions],
            Sample::of(self::LISTS, 1) + Sample::of(array_combine(self::FUNCTIONS, self::FUNCTIONS), 1),
        );
    }

    #[Test]
    #[DataProvider('functions')]
    #[TestDox('host that disables a PHP function')]
    public function with_functions_switched_off_each_step_works_or_names_them(string $functions): void
    {
        $this->host = SharedHost::with(['disable_functions' => $functions]);
        $this->passes($this->host, explode(',', $functions), '/');
    }

    /** @return iterable<string, array{string}> where the command begins */
    public static function places(): iterable
    {
        yield 'inside' => [''];
        yield 'as cron, outside' => ['/'];
    }

    #[Test]
    #[DataProvider('places')]
    #[TestDox("open_basedir limits PHP to the site's folder")]
    public function within_open_basedir_each_step_works_from_wherever_it_is_begun(string $from): void
    {
        $this->host = SharedHost::with(['open_basedir' => '{site}:{vendor}']);
        $this->passes($this->host, ['nothing is missing'], $from);
    }

    #[Test, Group('day-1')]
    #[TestDox("open_basedir limits PHP to the site's folder")]
    public function a_buffer_outside_of_open_basedir_is_named_by_each_step(): void
    {
        $this->host = $host = SharedHost::with(
            ['open_basedir' => '{site}:{vendor}'],
            "'path' => '/var/spool/outside/buffer',",
        );
        $this->passes($this->host, ['open_basedir'], '/');

        foreach (['spool:status', 'spool:verify', 'spool:health', 'spool:flush', 'spool:install'] as $command) {
            $outcome = $host->artisan($command, '/');
            self::assertSame(1, $outcome->exit, $command);
            self::assertStringContainsString('outside open_basedir', $outcome->all());
            self::assertStringNotContainsString('dir_mode', $outcome->all(), $command);
        }
    }

    #[Test]
    public function a_callback_is_handed_its_file_within_open_basedir_too(): void
    {
        $this->host = $host = SharedHost::with(['open_basedir' => '{site}:{vendor}']);
        $outcome = $host->artisan('app:flush', '/');

        self::assertSame([0, ''], [$outcome->exit, $outcome->all()]);
        self::assertSame(1, $host->rows());
    }

    #[Test]
    public function without_the_size_of_the_disk_the_dashboard_shows_the_rest(): void
    {
        $this->host = SharedHost::with(['disable_functions' => 'disk_free_space,disk_total_space']);
        $this->host->app()->write('routes/console.php', <<<'PHP'
            <?php

            use Headroom\Laravel\Http\Dashboard\Data\NowDocument;
            use Headroom\Spool\Services\SpoolServices;
            use Illuminate\Support\Facades\Artisan;

            Artisan::command('app:now', function (SpoolServices $spool): void {
                ['disk' => $disk, 'buckets' => $buckets] = (new NowDocument($spool))->toArray();
                $this->line(json_encode([$disk['free_bytes'], $disk['total_bytes'], count($buckets)]));
            });
            PHP);
        $outcome = $this->host->artisan('app:now');

        self::assertSame([0, '[null,null,1]'], [$outcome->exit, trim($outcome->all())]);
    }

    #[Test, Group('day-2')]
    #[TestDox('host that disables a PHP function')]
    public function what_is_to_survive_a_power_cut_is_refused_before_it_is_written(): void
    {
        foreach (PowerSync::REQUIRED_FUNCTIONS as $function) {
            $this->host?->remove();
            $this->host = SharedHost::with(['disable_functions' => $function], durability: 'power');

            self::assertSame([3, ''], $this->host->request());
            self::assertSame(3, $this->host->rows(), 'They went to the sink directly, as overflow says.');
            self::assertMatchesRegularExpression("/switched_off.*{$function}/", $this->host->app()->log());
            self::assertSame(
                [1, 1],
                [$this->host->artisan('spool:health')->exit, $this->host->artisan('spool:install')->exit],
            );
        }
    }

    #[Test, Group('day-3')]
    #[TestDox('host that disables a PHP function')]
    public function without_flock_each_command_says_so_once_and_checks_the_rest(): void
    {
        $this->host = SharedHost::with(['disable_functions' => 'flock'], "'min_free_bytes' => 1,");
        $this->host->app()->execute('drop table api_events');
        $health = $this->host->artisan('spool:health');
        self::assertSame([1, 1], [$health->exit, substr_count($health->all(), UnableToCall::seen('flock'))]);
        self::assertMatchesRegularExpression("/^ FAIL  PHP's flock/m", $health->out);
        self::assertMatchesRegularExpression('/^ FAIL  .*api_events/m', $health->out);
        self::assertStringNotContainsString('extension', $health->out);
        self::assertStringContainsString('"PHP\'s flock()"', $this->host->artisan('spool:health --json')->out);

        // As of an earlier day.
        mkdir($this->host->app()->path('storage/app/private/buffer/buckets/api-events/active'), recursive: true);
        $this->host->app()->write('storage/app/private/buffer/node', str_repeat('0a', 16));

        foreach (['spool:flush', 'spool:status'] as $command) {
            $outcome = $this->host->artisan($command);
            self::assertSame(
                [1, 1],
                [$outcome->exit, substr_count($outcome->all(), 'flock()')],
                "{$command}: {$outcome->all()}",
            );
        }
    }

    /** @param list<string> $missing one of which is named by a step that does not work */
    private function passes(SharedHost $host, array $missing, string $from): void
    {
        $isPossible = $this->commandsOfTheApplicationPass($host, $from);
        [$accepted, $instead] = $host->request();

        if (! $isPossible) {
            return; // Laravel itself needs it.
        }

        if (array_intersect($missing, FunctionsAreDisabled::NEEDED) === []) {
            self::assertStringNotContainsString(
                'switched_off',
                $host->app()->log(),
                'It is in the buffer, not with the sink.',
            );
        }

        $told = [];

        if ($accepted === 0) {
            self::assertStringContainsString(UnableToAppend::class, $instead);
            self::assertNames($missing, $instead);
            $told[] = 'add';
        }

        foreach ([
            'spool:install' => '',
            $this->ofCron($missing) => $from,
            'spool:status' => '',
            'spool:health' => $from,
            'spool:verify' => '',
        ] as $command => $where) {
            $outcome = $host->artisan($command, $where);

            if ($outcome->exit !== 0) {
                self::assertNames($missing, "{$command}: {$outcome->all()}");
                self::assertStringNotContainsString('undefined function Headroom', $outcome->all());
                self::assertStringNotContainsString('vendor/', $outcome->all(), 'a trace is no sentence');
                $told[] = $command;
            }
        }

        $status = json_decode($host->artisan('spool:status --json')->out, true);
        $waiting = is_array($status) && is_int($status['pending'] ?? null) ? $status['pending'] : null;

        // A status that cannot be given tells of nothing that waits.
        if ($waiting !== null) {
            self::assertSame($accepted, $host->rows() + $waiting, implode(' ', $told));
        }

        self::assertTrue($told !== [] || [$host->rows(), $waiting] === [3, 0]);
        self::assertTrue($told === [] || in_array('spool:health', $told, true), implode(' ', $told));
    }

    /** @return bool whether Laravel itself can do without what is missing */
    private function commandsOfTheApplicationPass(SharedHost $host, string $from): bool
    {
        $isPossible = true;

        foreach (self::OF_THE_APPLICATION as $command) {
            $without = $host->artisanWithoutThisPackage($command, $from);
            $with = $host->artisan($command, $from);
            $isPossible = $isPossible && $without->exit === 0;
            self::assertSame($without->exit, $with->exit, "{$command}: {$with->all()}");
        }

        return $isPossible;
    }

    /** @param list<string> $missing */
    private function ofCron(array $missing): string
    {
        // The scheduler leaves the flush to a process that nothing waits for; without one it flushes itself.
        return in_array('proc_open', $missing, true) ? 'schedule:run' : 'spool:flush';
    }

    /** @param list<string> $missing */
    private static function assertNames(array $missing, string $said): void
    {
        self::assertMatchesRegularExpression('/\b('.implode('|', $missing).')\b/', $said);
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use Headroom\Host\Account;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\Client;
use Headroom\Host\Fpm\Master;
use Headroom\Host\Fpm\PoolConfig;
use Headroom\Host\IniSettings;
use Headroom\Host\Proc;
use Headroom\Host\TemporaryDirectory;
use Headroom\Host\WebStack;
use Headroom\Preload\Page;
use Headroom\Preload\Script\Installed;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\Printed;
use Illuminate\Filesystem\Filesystem;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use Symfony\Component\Process\Process;
use Workbench\Rig\Production;

/**
 * The commands as somebody runs them on a server, beside a PHP-FPM that serves the application.
 */
final class CommandsTest extends TestCase
{
    private static ?string $list = null;

    private Generation $generation;

    private ?Master $fpm = null;

    private ?TemporaryDirectory $directory = null;

    protected function setUp(): void
    {
        Needs::webStack();
        $this->generation = new Generation(Release::shared());
        file_put_contents($this->release()->path('urls.txt'), "# two pages\n/pages/json\nGET /pages/blade\n");
        $this->generation->sweep();
    }

    protected function tearDown(): void
    {
        $this->stop();
    }

    #[Test]
    public function made_installed_restarted_and_looked_at_it_is_as_it_was_proven(): void
    {
        self::assertStringContainsString('headroom:preload', $this->refusal('headroom:preload:status'));
        $made = $this->release()->artisan('headroom:preload', '--urls=urls.txt');
        self::assertStringContainsString('2 pages answered the same', $made);
        self::assertStringContainsString("opcache.preload={$this->generation->script()}", $made);

        $this->serve();
        $status = $this->release()->artisan('headroom:preload:status');
        self::assertStringContainsString('It is as it was proven.', $status);
        self::assertMatchesRegularExpression('/Pool .*: \d{3} classes, \d{3} files preloaded/', $status);

        $again = $this->release()->artisan('headroom:preload', '--urls=urls.txt');
        self::assertStringContainsString('is as it was', $again);
    }

    #[Test]
    public function a_release_that_has_changed_since_is_told_and_php_starts_with_what_is_left(): void
    {
        $this->install();
        $controller = $this->release()->path('app/Http/Controllers/Pages/JsonController.php');
        $before = (string) file_get_contents($controller);

        try {
            file_put_contents($controller, "{$before}\n// changed\n");
            $this->serve();
            $said = $this->refusal('headroom:preload:status');
        } finally {
            file_put_contents($controller, $before);
        }

        self::assertStringContainsString('files of the application have changed since', $said);
        self::assertStringContainsString('only packages would be preloaded', $said);
        self::assertSame(200, $this->ask('/pages/json'));
    }

    #[Test]
    public function packages_that_are_not_those_it_was_proven_with_preload_nothing_and_the_application_works(): void
    {
        $this->install();
        $installed = $this->release()->path('vendor/composer/installed.json');
        $before = (string) file_get_contents($installed);

        try {
            file_put_contents($installed, str_replace('"dev": false', '"dev":  false', $before));
            $this->serve();
            $said = $this->refusal('headroom:preload:status');
        } finally {
            file_put_contents($installed, $before);
        }

        self::assertStringContainsString('vendor/composer/installed.json is not the one that it was proven with', $said);
        self::assertStringContainsString('preloads nothing', $said);
        self::assertStringContainsString('headroom preload: ', (string) file_get_contents($this->directory?->file('php.log') ?? ''));
        self::assertSame(200, $this->ask('/pages/json'));
    }

    #[Test]
    public function a_list_of_another_php_preloads_nothing_and_says_so(): void
    {
        $this->install();
        $script = (string) file_get_contents($this->generation->script());
        file_put_contents($this->generation->script(), str_replace(['PHP_VERSION_ID !== '.PHP_VERSION_ID, 'PHP '.PHP_VERSION], ['PHP_VERSION_ID !== 80100', 'PHP 8.1.0'], $script));

        $this->serve();

        self::assertStringContainsString('it was proven with PHP 8.1.0', $this->refusal('headroom:preload:status'));
        self::assertStringContainsString('headroom preload: It was proven with PHP 8.1.0 and this is PHP '.PHP_VERSION, (string) file_get_contents($this->directory?->file('php.log') ?? ''));
        self::assertSame(200, $this->ask('/pages/json'));
    }

    #[Test]
    public function two_applications_under_one_php_fpm_are_refused(): void
    {
        $other = TemporaryDirectory::create('other', Account::forWorkers('www-data'));

        try {
            foreach (['vendor/composer', 'public'] as $folder) {
                mkdir($other->file($folder), 0o755, true);
            }

            chmod($other->path, 0o755);
            $other->write('vendor/composer/autoload_real.php', '<?php return 1;');
            $other->write('vendor/autoload.php', '<?php return require __DIR__."/composer/autoload_real.php";');
            $other->write('public/index.php', '<?php require __DIR__."/../vendor/autoload.php"; echo "the other one";');
            $this->serve(preloads: false);
            self::assertSame(200, $this->ask('/pages/json'));
            self::assertSame(200, $this->ask('/', $other->file('public/index.php')));

            $said = $this->refusal('headroom:preload', '--urls=urls.txt');
        } finally {
            $other->remove();
        }

        self::assertStringContainsString("PHP-FPM also serves {$other->path} beside {$this->release()->path()}", $said);
        self::assertStringContainsString('a PHP-FPM of its own', $said);
        self::assertFileDoesNotExist($this->generation->script());
    }

    #[Test]
    public function reached_by_a_link_it_preloads_the_release_that_the_link_leads_to(): void
    {
        $this->install();
        $deploy = TemporaryDirectory::create('deploy', Account::forWorkers('www-data'));

        try {
            chmod($deploy->path, 0o755);
            symlink($this->release()->path(), $deploy->file('current'));
            $deploy->write('preload.php', '<?php $list = '.var_export($deploy->file('current/'.Generation::FILE), true).'; if (is_file($list)) { require $list; }');
            $this->serve($deploy->file('preload.php'));
            $status = $this->release()->artisan('headroom:preload:status');
            self::assertStringContainsString('It is as it was proven.', $status);
            self::assertStringContainsString(' '.count(Installed::at($this->generation->script())?->files() ?? []).' files preloaded', $status);

            // A release without a list is no outage.
            unlink($this->generation->script());
            $this->serve($deploy->file('preload.php'));
            self::assertSame(200, $this->ask('/pages/json'));
        } finally {
            $deploy->remove();
        }
    }

    /** Each deploy would have its own pages among those that users want. */
    #[Test]
    public function requests_of_a_proof_are_no_samples_of_users(): void
    {
        $environment = (string) file_get_contents($this->release()->path('.env'));
        $samples = $this->release()->path('storage/framework/headroom-preload');

        try {
            file_put_contents($this->release()->path('.env'), "{$environment}HEADROOM_PRELOAD_SAMPLE=1\n");
            $this->release()->artisan('config:cache');
            $this->release()->artisan('headroom:preload', '--urls=urls.txt');
            self::assertDirectoryDoesNotExist($samples);

            // One of a user is.
            $stack = WebStack::start($this->release()->web());
            file_get_contents("{$stack->url()}/pages/json");

            for ($i = 0; $i < 500 && ! is_dir($samples); $i++) {
                usleep(10_000);
                clearstatcache();
            }

            $stack->stop();
            self::assertDirectoryExists($samples);
        } finally {
            file_put_contents($this->release()->path('.env'), $environment);
            $this->release()->artisan('config:cache');
            (new Filesystem)->deleteDirectory($samples);
        }
    }

    #[Test]
    public function killed_in_the_middle_it_leaves_the_list_that_was_there_and_no_process(): void
    {
        $this->install();
        $before = file_get_contents($this->generation->script());
        $directory = TemporaryDirectory::create('kill', Account::forWorkers('www-data'));
        chmod($directory->path, 0o755);
        $process = new Process([PHP_BINARY, $this->release()->path('artisan'), 'headroom:preload', '--urls=urls.txt'], $this->release()->path(), ['TMPDIR' => $directory->path]);
        $process->start();
        Printed::by($process, 'round 1');
        $family = (new Proc)->descendants((int) $process->getPid());
        $process->signal(9);
        $process->wait();

        self::assertNotSame([], $family);
        self::assertSame($before, file_get_contents($this->generation->script()));

        // Between its look and its end it may have started another PHP-FPM, which has the directory in its title.
        $until = microtime(true) + 5;

        do {
            usleep(10_000);
            $left = [...array_filter(array_keys($family), (new Proc)->isAlive(...)), ...self::named($directory->path)];
        } while ($left !== [] && microtime(true) < $until);

        array_map(static fn (int $pid): bool => posix_kill($pid, 9), $left);
        $directory->remove();
        self::assertSame([], $left);
    }

    #[Test]
    public function asked_to_end_it_leaves_nothing_behind(): void
    {
        $directory = TemporaryDirectory::create('term', Account::forWorkers('www-data'));
        chmod($directory->path, 0o755);
        $process = new Process([PHP_BINARY, $this->release()->path('artisan'), 'headroom:preload', '--urls=urls.txt'], $this->release()->path(), ['TMPDIR' => $directory->path]);
        $process->start();
        Printed::by($process, 'round 1');
        $process->signal(15);
        $process->wait();
        $left = [...(array) glob("{$directory->path}/*"), ...$this->generation->candidates()];
        $directory->remove();

        self::assertSame([], $left);
        self::assertFileDoesNotExist($this->generation->script());
    }

    #[Test]
    public function a_temporary_directory_that_workers_may_not_enter_is_named(): void
    {
        $account = Account::forWorkers('www-data') ?? self::markTestSkipped('Only who is root starts workers of another user.');
        $directory = TemporaryDirectory::create('closed');
        $process = new Process([PHP_BINARY, $this->release()->path('artisan'), 'headroom:preload', '--urls=urls.txt'], $this->release()->path(), ['TMPDIR' => $directory->path]);
        $process->run();
        $left = scandir($directory->path);
        $directory->remove();

        self::assertSame(1, $process->getExitCode());
        self::assertStringContainsString("{$directory->path} could not be entered by {$account->user}.", str_replace("\n", ' ', $process->getOutput().$process->getErrorOutput()));
        self::assertSame(['.', '..'], $left);
    }

    #[Test]
    public function wrong_usage_ends_with_two_and_nothing_observed_with_one(): void
    {
        foreach ([['--strategy=fast'], ['--mode=b'], ['--header=none']] as $arguments) {
            $process = new Process([PHP_BINARY, $this->release()->path('artisan'), 'headroom:preload', ...$arguments], $this->release()->path());
            self::assertSame(2, $process->run(), $process->getErrorOutput());
        }

        self::assertStringContainsString('--urls=FILE', $this->refusal('headroom:preload'));
        self::assertStringContainsString('line 2', $this->refusal('headroom:preload', '--urls=artisan'));
    }

    /** @return list<int> processes with it in their command line */
    private static function named(string $directory): array
    {
        $pids = [];

        foreach ((array) glob('/proc/[0-9]*/cmdline') as $file) {
            if (str_contains((string) @file_get_contents((string) $file), $directory)) {
                $pids[] = (int) basename(dirname((string) $file));
            }
        }

        return $pids;
    }

    /** As headroom:preload does, which has made the same bytes the first time. */
    private function install(): void
    {
        if (self::$list === null) {
            $this->release()->artisan('headroom:preload', '--urls=urls.txt');
            self::$list = (string) file_get_contents($this->generation->script());
        }

        file_put_contents($this->generation->script(), self::$list);
        chmod($this->generation->script(), 0o644);
    }

    private function release(): Production
    {
        return $this->generation->release;
    }

    private function serve(?string $script = null, bool $preloads = true): void
    {
        $this->stop();
        $account = Account::forWorkers('www-data');
        $this->directory = TemporaryDirectory::create('fpm', $account);
        $log = $this->directory->write('php.log', '');
        $account === null ? null : chown($log, $account->user);
        $this->fpm = Master::start(new PoolConfig(1, $account, statusPath: '/status'), $this->directory, ini: new IniSettings([
            'opcache.enable' => true,
            'opcache.preload' => $preloads ? $script ?? $this->generation->script() : '',
            'opcache.preload_user' => $account->user ?? '',
            'opcache.file_update_protection' => 0,
            'log_errors' => true,
            'error_log' => $log,
        ]));
    }

    private function stop(): void
    {
        $this->fpm?->stop();
        $this->directory?->remove();
        $this->fpm = null;
    }

    private function ask(string $target, ?string $front = null): int
    {
        $parameters = [...$this->generation->site()->parameters(new Page('GET', $target)), ...($front === null ? [] : ['SCRIPT_FILENAME' => $front])];

        return (new Client(answerMillis: 30_000))->ask(Address::parse($this->fpm->socket ?? ''), $parameters)->status;
    }

    private function refusal(string ...$command): string
    {
        try {
            $out = $this->release()->artisan(...$command);
        } catch (RuntimeException $e) {
            return $e->getMessage();
        }

        self::fail("It did not refuse:\n{$out}");
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\FastCgiClient;
use Headroom\Host\Fpm\IniSettings;
use Headroom\Host\Fpm\Master;
use Headroom\Host\Fpm\PoolConfig;
use Headroom\Host\WebStack;
use Headroom\Preload\Page;
use Headroom\Preload\Script\InstalledScript;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use Illuminate\Filesystem\Filesystem;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use Symfony\Component\Process\Process;
use Workbench\Rig\Production;

/**
 * The commands as an operator runs them on a server, next to a PHP-FPM that serves the application.
 */
#[Group('snapshot')]
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

    #[Test, Group('day-1')]
    public function a_list_that_is_made_and_installed_is_preloaded_as_proven(): void
    {
        self::assertStringContainsString('headroom:preload', $this->refusal('headroom:preload:status'));
        $made = $this->release()->artisan('headroom:preload', '--urls=urls.txt');
        self::assertMatchesRegularExpression('/^ +2 .*: 200 \(2\)$/m', $made);
        self::assertStringContainsString("opcache.preload={$this->generation->script()}", $made);

        $this->serve();
        $status = $this->proven();
        self::assertSame([], $status['problems']);
        self::assertSame(
            [1, true, true],
            [count($status['pools']), $status['pools'][0]['classes'] > 99, $status['pools'][0]['files'] > 99],
        );
        $this->assertPrinted(
            'preload:status',
            'as it was proven',
            $this->release()->artisan('headroom:preload:status'),
        );

        $again = json_decode($this->release()->artisan('headroom:preload', '--urls=urls.txt', '--json'), true);
        self::assertIsArray($again);
        self::assertSame([true, false], [$again['installed'], $again['changed']]);
        // Which classes are left out, how much is spared and who runs workers differs from machine to machine.
        $varies =
            '/^(.*\n)*(?=Preload: )|^Left out: .*\n(  .*\n)*\n|^ +opcache\.preload_user=.*\n|^ {4}[\d.]+ ms.*\n/m';
        $this->assertPrinted('preload', 'a list is made', (string) preg_replace($varies, '', $made));
    }

    #[Test, Group('day-1')]
    public function a_changed_release_is_told_and_php_starts_with_the_packages(): void
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

        self::assertSame(1, substr_count($said, "! {$this->generation->script()}: "));
        $this->assertPrinted('preload:status', 'a file of the application has changed', (string) strstr($said, '! '));
        self::assertSame(200, $this->ask('/pages/json'));
    }

    #[Test, Group('day-1')]
    public function packages_that_were_not_proven_preload_nothing_and_the_application_works(): void
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

        Sentence::assertNames(['!', $this->generation->script(), 'vendor/composer/installed.json'], $said);
        $this->assertPrinted('preload:status', 'other packages are installed', (string) strstr($said, '! '));
        self::assertStringContainsString(
            'headroom preload: ',
            (string) file_get_contents($this->directory?->file('php.log') ?? ''),
        );
        self::assertSame(200, $this->ask('/pages/json'));
    }

    #[Test, Group('day-3')]
    public function a_list_of_another_php_preloads_nothing_and_says_so(): void
    {
        $this->install();
        $script = (string) file_get_contents($this->generation->script());
        file_put_contents(
            $this->generation->script(),
            str_replace(
                ['PHP_VERSION_ID !== '.PHP_VERSION_ID, 'PHP '.PHP_VERSION],
                ['PHP_VERSION_ID !== 80100', 'PHP 8.1.0'],
                $script,
            ),
        );

        $this->serve();

        Sentence::assertNames(
            ['!', $this->generation->script(), 'PHP', '8.1.0'],
            $this->refusal('headroom:preload:status'),
        );
        Sentence::assertNames(
            ['headroom preload', '8.1.0', PHP_VERSION],
            (string) file_get_contents($this->directory?->file('php.log') ?? ''),
        );
        self::assertSame(200, $this->ask('/pages/json'));
    }

    #[Test, Group('day-2')]
    public function two_applications_under_one_php_fpm_are_refused(): void
    {
        $other = TemporaryDirectory::create('other', UnixUser::forWorkers('www-data'));

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

        Sentence::assertNames(['PHP-FPM', $other->path, $this->release()->path()], $said);
        self::assertFileDoesNotExist($this->generation->script());
    }

    #[Test, Group('day-3')]
    public function reached_by_a_link_it_preloads_the_release_that_the_link_leads_to(): void
    {
        $this->install();
        $deploy = TemporaryDirectory::create('deploy', UnixUser::forWorkers('www-data'));

        try {
            chmod($deploy->path, 0o755);
            symlink($this->release()->path(), $deploy->file('current'));
            $deploy->write(
                'preload.php',
                '<?php $list = '.var_export($deploy->file('current/'.Generation::FILE), true)
                    .'; if (is_file($list)) { require $list; }',
            );
            $this->serve($deploy->file('preload.php'));
            $status = $this->proven();
            self::assertSame(
                [[], count(InstalledScript::at($this->generation->script())?->files() ?? [])],
                [$status['problems'], $status['pools'][0]['files'] ?? null],
            );

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
    #[Group('proof')]
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

    #[Test, Group('day-2')]
    public function wrong_usage_ends_with_two_and_nothing_observed_with_one(): void
    {
        foreach ([['--strategy=fast'], ['--mode=b'], ['--header=none']] as $arguments) {
            $process = new Process(
                [PHP_BINARY, $this->release()->path('artisan'), 'headroom:preload', ...$arguments],
                $this->release()->path(),
            );
            self::assertSame(2, $process->run(), $process->getErrorOutput());
        }

        self::assertStringContainsString('--urls=FILE', $this->refusal('headroom:preload'));
        self::assertStringContainsString('line 2', $this->refusal('headroom:preload', '--urls=artisan'));
    }

    /** @return array{problems: list<string>, pools: list<array{classes: int, files: int}>} */
    private function proven(): array
    {
        /** @var array{problems: list<string>, pools: list<array{classes: int, files: int}>} $status */
        $status = json_decode(
            $this->release()->artisan('headroom:preload:status', '--json'),
            true,
            flags: JSON_THROW_ON_ERROR,
        );

        return $status;
    }

    private function assertPrinted(string $command, string $case, string $printed): void
    {
        // Where other masters of PHP-FPM run on this machine, a pool is named with its file.
        $fpm = " of {$this->directory?->path}/fpm.conf";

        Snapshot::assertPrinted(
            $command,
            $case,
            strtr($printed, [$this->release()->path() => '<release>', $fpm => '']),
        );
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
        $account = UnixUser::forWorkers('www-data');
        $this->directory = TemporaryDirectory::create('fpm', $account);
        $log = $this->directory->write('php.log', '');
        $account === null ? null : chown($log, $account->user);
        $this->fpm = Master::start(
            new PoolConfig(1, $account, statusPath: '/status'),
            $this->directory,
            ini: new IniSettings([
                'opcache.enable' => true,
                'opcache.preload' => $preloads ? $script ?? $this->generation->script() : '',
                'opcache.preload_user' => $account->user ?? '',
                'opcache.file_update_protection' => 0,
                'log_errors' => true,
                'error_log' => $log,
            ]),
        );
    }

    private function stop(): void
    {
        $this->fpm?->stop();
        $this->directory?->remove();
        $this->fpm = null;
    }

    private function ask(string $target, ?string $front = null): int
    {
        $parameters = [
            ...$this->generation->site()->parameters(new Page('GET', $target)),
            ...($front === null ? [] : ['SCRIPT_FILENAME' => $front]),
        ];

        return (new FastCgiClient(answerMillis: 30_000))->ask(
            Address::parse($this->fpm->socket ?? ''),
            $parameters,
        )->status;
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

<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use Headroom\Console\Preload\AuthoritativeClassmapCopy;
use Headroom\Core\SystemClock;
use Headroom\Preload\Fpm\PhpVersion;
use Headroom\Preload\Mode;
use Headroom\Preload\Script\CandidateScript;
use Headroom\Preload\Script\Script;
use Headroom\Preload\Selection\Selection;
use Headroom\Preload\Strategy;
use Headroom\Preload\TargetApplication;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Unit\Preload\FakeProject;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Root preloads an application whose workers may write to bootstrap/, and use that.
 */
final class EnemyTest extends TestCase
{
    private FakeProject $fake;

    private TemporaryDirectory $secret;

    protected function setUp(): void
    {
        posix_geteuid() === 0 || self::markTestSkipped('Only root has what workers may not read.');
        $this->fake = FakeProject::create(owner: UnixUser::named('www-data'));
        $this->fake->app('A', 'class A {}')
            ->file('vendor/autoload.php', '<?php')
            ->file('composer.json', '{"name": "a/a", "autoload": {"classmap": ["app"]}}')
            ->file('public/index.php', '<?php')
            ->file('bootstrap/cache/services.php', '<?php')
            ->write();
        chown("{$this->fake->root()}/bootstrap/cache", 'www-data');
        $this->secret = TemporaryDirectory::create('secret');
        chmod($this->secret->path, 0o755);
        chmod($this->secret->write('secret', 'sings'), 0o600);
    }

    protected function tearDown(): void
    {
        if (isset($this->fake, $this->secret)) {
            $this->fake->remove();
            $this->secret->remove();
        }
    }

    #[Test, Group('day-3')]
    public function a_copy_of_the_application_has_no_file_that_its_workers_may_not_read(): void
    {
        Needs::program('composer', 'composer');
        $this->plant('secret');
        posix_mkfifo("{$this->fake->root()}/bootstrap/cache/pipe", 0o666);
        $account = UnixUser::named('www-data');
        $copy = AuthoritativeClassmapCopy::of(
            new TargetApplication($this->fake->root(), "{$this->fake->root()}/public/index.php", account: $account),
            'vendor',
        );

        self::assertFalse(
            is_file("{$copy->application->root}/bootstrap/cache/secret")
                && file_get_contents("{$copy->application->root}/bootstrap/cache/secret") === 'sings'
                && fileowner("{$copy->application->root}/bootstrap/cache/secret") === $account->uid,
        );
        self::assertSame(
            [$account->uid, $account->uid],
            [
                fileowner("{$copy->application->root}/bootstrap/cache/services.php"),
                fileowner("{$copy->application->root}/vendor/composer/autoload_classmap.php"),
            ],
        );
        self::assertStringContainsString(
            'setClassMapAuthoritative(true)',
            (string) file_get_contents("{$copy->application->root}/vendor/composer/autoload_real.php"),
        );
        $copy->stop();
    }

    #[Test]
    public function a_list_that_is_tried_again_is_written_through_no_link(): void
    {
        $project = $this->fake->project();
        $script = new Script(
            $project,
            'bootstrap/cache/preload.php',
            Mode::Compile,
            Strategy::Hot,
            new PhpVersion(PHP_VERSION, PHP_VERSION_ID),
            'public/index.php',
        );
        $candidate = new CandidateScript($script, $project->absolute('bootstrap/cache/preload.php'), new SystemClock);
        $selection = new Selection(['app/A.php'], ['app/A.php' => ['App\A']], []);
        $path = $candidate->write($selection);
        self::assertSame(0o100644, fileperms($path));
        unlink($path);
        $this->plant(basename($path));
        $candidate->write($selection);
        clearstatcache();

        self::assertSame(
            ['sings', 0o100600, 0],
            [
                file_get_contents($this->secret->file('secret')),
                fileperms($this->secret->file('secret')),
                fileowner($this->secret->file('secret')),
            ],
        );
        $candidate->install();
        self::assertSame(
            posix_getpwnam('www-data')['uid'] ?? null,
            fileowner($project->absolute('bootstrap/cache/preload.php')),
        );
    }

    private function plant(string $name): void
    {
        $link = "{$this->fake->root()}/bootstrap/cache/{$name}";
        symlink($this->secret->file('secret'), $link);
        lchown($link, 'www-data');
    }
}

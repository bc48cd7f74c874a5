<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Support;

use Headroom\Preload\Observation\Samples;
use Headroom\Process\ParentDeathSignal;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToStart;
use Headroom\Process\UnixUser;
use Headroom\Report\ReportFile;
use Headroom\Support\AtomicFile;
use Headroom\Support\EffectiveUser;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use Symfony\Component\Process\PhpProcess;
use Symfony\Component\Process\Process;

/**
 * Root in directories of another user, who has put links there.
 */
final class EffectiveUserTest extends TestCase
{
    private TemporaryDirectory $shared;

    private string $canary;

    protected function setUp(): void
    {
        posix_geteuid() === 0 || self::markTestSkipped('Only root can take on the rights of another user.');
        $this->shared = TemporaryDirectory::create('rights', UnixUser::named('www-data'));
        $this->canary = $this->shared->write('canary', 'sings');
        chmod($this->canary, 0o600);
    }

    protected function tearDown(): void
    {
        if (isset($this->shared)) {
            $this->shared->remove();
        }
    }

    #[Test]
    public function root_has_the_rights_of_the_owner_there_and_its_own_after(): void
    {
        $account = UnixUser::named('www-data');
        $seen = EffectiveUser::in($this->shared->work)->during(static fn (): array => [
            posix_geteuid(), posix_getegid(), posix_getgroups(), EffectiveUser::in('/')->during(posix_geteuid(...)),
        ]);

        self::assertSame([$account->uid, $account->gid, [$account->gid], $account->uid], $seen);
        self::assertSame([0, 0], [posix_geteuid(), posix_getegid()]);

        try {
            EffectiveUser::in($this->shared->work)->during(static fn () => throw new RuntimeException('a failure'));
        } catch (RuntimeException) {
        }

        self::assertSame(
            [0, 0, 0],
            [posix_geteuid(), posix_getegid(), EffectiveUser::in($this->shared->path)->during(posix_geteuid(...))],
        );
    }

    #[Test]
    public function no_report_of_root_is_written_through_a_link_of_another_user(): void
    {
        $this->link('report.json');
        $common = TemporaryDirectory::create('common');
        chmod($common->path, 0o1777);
        symlink($this->canary, $common->file('report.json'));
        lchown($common->file('report.json'), 'www-data');

        self::assertNotNull(ReportFile::write("{$this->shared->work}/report.json", 'false'));
        self::assertNotNull(ReportFile::write($common->file('report.json'), 'false'));
        $this->assertUnharmed();

        unlink($common->file('report.json'));
        symlink($this->canary, $common->file('report.json'));
        self::assertNull(ReportFile::write($common->file('report.json'), 'true'));
        self::assertSame('true', file_get_contents($this->canary));
        $common->remove();
    }

    #[Test]
    public function samples_that_root_merges_or_adds_lead_to_no_other_file(): void
    {
        $folder = "{$this->shared->work}/samples";
        mkdir($folder, 0o770);
        chown($folder, 'www-data');
        $this->link('samples/web1.new');
        $this->link('samples/web1.lock');
        $samples = new Samples($folder, 'web1');

        try {
            $samples->add(null);
        } catch (RuntimeException) {
        }

        $this->assertUnharmed();
        unlink("{$folder}/web1.lock");
        self::assertTrue($samples->add(null));
        self::assertSame(posix_getpwnam('www-data')['uid'] ?? null, fileowner("{$folder}/web1.json"));
        $this->assertUnharmed();

        $this->link('samples/web2.json');
        $this->expectException(RuntimeException::class);
        $samples->merged();
    }

    #[Test]
    public function a_whole_file_follows_no_link_and_takes_no_mode_of_another(): void
    {
        $this->link('file');

        self::assertFalse(@AtomicFile::make("{$this->shared->work}/file", 'false', 0o644));
        $this->assertUnharmed();
        self::assertTrue(AtomicFile::replace("{$this->shared->work}/file", 'true', 0o640));
        self::assertSame(
            [false, 0o100640, 'true'],
            [
                is_link("{$this->shared->work}/file"),
                fileperms("{$this->shared->work}/file"),
                file_get_contents("{$this->shared->work}/file"),
            ],
        );
        $this->assertUnharmed();
    }

    #[Test]
    public function a_folder_of_another_user_is_removed_with_its_owners_rights(): void
    {
        $elsewhere = TemporaryDirectory::create('elsewhere');
        $elsewhere->write('kept', 'x');
        $folder = "{$this->shared->work}/theirs/deep";
        mkdir("{$folder}/roots/a", 0o700, true);
        touch("{$folder}/roots/a/file");
        symlink($elsewhere->path, "{$folder}/roots/link");
        symlink($elsewhere->path, "{$folder}/link");
        array_map(static fn (string $path): bool => chown($path, 'www-data'), [dirname($folder), $folder]);
        $account = UnixUser::named('www-data');
        $before = fileowner($elsewhere->path);
        $exchanged = new Process(
            ParentDeathSignal::around(
                [
                    PHP_BINARY,
                    '-r',
                    'while (true) { @rename($argv[1]."/deep", $argv[1]."/aside"); @symlink($argv[2], $argv[1]."/deep");'
                        .' @unlink($argv[1]."/deep"); @rename($argv[1]."/aside", $argv[1]."/deep"); }',
                    dirname($folder),
                    $elsewhere->path,
                ],
                Signal::Kill,
                $account,
            ),
            '/',
        );
        $exchanged->start();
        $this->shared->remove();
        $exchanged->stop(0);
        $this->shared->remove();
        clearstatcache();

        self::assertSame(
            [false, true, $before],
            [is_dir($this->shared->path), is_file($elsewhere->file('kept')), fileowner($elsewhere->path)],
        );
        $elsewhere->remove();
    }

    #[Test]
    public function root_makes_no_directory_where_another_user_may_exchange_it(): void
    {
        chmod($this->shared->path, 0o755);
        $code = '<?php require '.var_export(dirname(__DIR__, 3).'/vendor/autoload.php', true).'; try { echo '
            .TemporaryDirectory::class.'::create("x")->path; } catch ('.UnableToStart::class.') { echo "refused"; }';

        foreach ([$this->shared->work, "{$this->shared->path}/link"] as $folder) {
            @symlink($this->shared->work, "{$this->shared->path}/link");
            $process = new PhpProcess($code, '/', ['TMPDIR' => $folder]);
            $process->mustRun();

            self::assertSame('refused', $process->getOutput());
        }

        self::assertSame(['.', '..'], scandir($this->shared->work));
    }

    #[Test]
    public function root_runs_no_configuration_that_another_user_has_put_into_a_common_directory(): void
    {
        $common = TemporaryDirectory::create('common');
        chmod($common->path, 0o1777);
        $common->write(
            'headroom.php',
            "<?php touch(__DIR__.'/ran'); return ['spool' => ['path' => __DIR__.'/spool', 'buckets' => []]];",
        );
        chown($common->file('headroom.php'), 'www-data');
        $command = [PHP_BINARY, dirname(__DIR__, 3).'/bin/headroom', 'spool:status'];
        (new Process($command, $common->path))->run();
        self::assertFileDoesNotExist($common->file('ran'));

        chown($common->file('headroom.php'), 'root');
        (new Process($command, $common->path))->run();
        self::assertFileExists($common->file('ran'));
        $common->remove();
    }

    private function link(string $name): void
    {
        symlink($this->canary, "{$this->shared->work}/{$name}");
        lchown("{$this->shared->work}/{$name}", 'www-data');
    }

    private function assertUnharmed(): void
    {
        clearstatcache();
        self::assertSame(
            ['sings', 0o100600, 0],
            [file_get_contents($this->canary), fileperms($this->canary), fileowner($this->canary)],
        );
    }
}

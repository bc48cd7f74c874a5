<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload\Script;

use Headroom\Core\SystemClock;
use Headroom\Preload\Fpm\PhpVersion;
use Headroom\Preload\Mode;
use Headroom\Preload\Script\CandidateScript;
use Headroom\Preload\Script\InstalledScript;
use Headroom\Preload\Script\Script;
use Headroom\Preload\Selection\Selection;
use Headroom\Preload\Strategy;
use Headroom\Preload\UnableToPreload;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Preload\FakeProject;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * Its work when PHP-FPM runs it is in tests/Acceptance/Preload/ScriptTest.php.
 */
final class ScriptTest extends TestCase
{
    private FakeProject $fake;

    protected function setUp(): void
    {
        $this->fake = FakeProject::create();
        $this->fake->app('A', 'class A {}')
            ->package('acme/lib', 'Lib')
            ->file('vendor/acme/lib/src/B.php', '<?php namespace Lib; class B {}')
            ->write();
    }

    protected function tearDown(): void
    {
        $this->fake->remove();
    }

    #[Test]
    public function it_does_nothing_on_the_command_line_in_both_modes_and_any_folder(): void
    {
        foreach (Mode::cases() as $mode) {
            foreach (['preload.php', 'a/preload.php', 'a/b/preload.php', 'a/b/c/d/preload.php'] as $file) {
                $text = $this->script($mode, $file)->text(self::selection());
                $this->fake->file($file, $text);
                $run = new Process([
                    PHP_BINARY, '-d', 'error_log=', '-d', 'log_errors=1', "{$this->fake->root()}/{$file}",
                ]);
                $run->mustRun();

                self::assertSame('', $run->getOutput().$run->getErrorOutput());
                self::assertSame(1, preg_match('/root = (.*__DIR__.*);/', $text, $m));
                self::assertSame(
                    $this->fake->root(),
                    self::evaluated(strtr(
                        $m[1],
                        ['__DIR__' => var_export(dirname("{$this->fake->root()}/{$file}"), true)],
                    )),
                );
            }
        }
    }

    #[Test]
    public function names_with_quotes_backslashes_and_dollars_are_unchanged(): void
    {
        $odd = 'ven\'d"or\\${x} %LOCK_HASH%{$root}';
        $this->fake->remove();
        $this->fake = FakeProject::create(vendor: $odd);
        $file = "{$odd}/o'd\\\\d\".php";
        $this->fake->file('composer.json', (string) json_encode(['config' => ['vendor-dir' => $odd]]))
            ->file($file, '<?php class X {}')
            ->write();

        foreach (Mode::cases() as $mode) {
            $text = $this->script($mode, 'preload.php')->text(new Selection([$file], [$file => ['X']], []));
            $this->fake->file('preload.php', $text);
            (new Process([PHP_BINARY, '-l', "{$this->fake->root()}/preload.php"]))->mustRun();

            self::assertStringContainsString(var_export($file, true).',', $text);
            $installed = InstalledScript::at("{$this->fake->root()}/preload.php");
            self::assertSame(
                [[$file], [], []],
                [
                    $installed?->packages,
                    $installed?->application,
                    $installed?->objections($this->fake->root(), '8.9.7-odd'),
                ],
            );
        }
    }

    #[Test]
    public function the_same_list_is_the_same_bytes_and_names_its_settings(): void
    {
        $script = $this->script(Mode::Compile, 'preload.php');
        $text = $script->text(self::selection());

        self::assertSame($text, $script->text(self::selection()));
        self::assertStringContainsString(' * Strategy hot, mode compile, 2 files, PHP 8.9.7-odd', $text);
        self::assertStringContainsString('PHP_VERSION_ID !== 80907', $text);
        self::assertDoesNotMatchRegularExpression('/%[A-Z_]+%/', $text);
        self::assertDoesNotMatchRegularExpression(
            '/%[A-Z_]+%/',
            $this->script(Mode::Autoload, 'preload.php')->text(self::selection()),
        );
        self::assertStringNotContainsString($this->fake->root(), $text, 'It goes with a release.');
    }

    #[Test]
    public function it_changes_with_each_file_that_it_was_proven_with(): void
    {
        $script = $this->script(Mode::Compile, 'preload.php');
        $texts = [$script->text(self::selection())];

        foreach (['app/A.php', 'vendor/acme/lib/src/B.php', 'vendor/composer/installed.json'] as $file) {
            file_put_contents("{$this->fake->root()}/{$file}", "\n", FILE_APPEND);
            $texts[] = $script->text(self::selection());
        }

        self::assertCount(4, array_unique($texts));
    }

    #[Test]
    public function a_file_that_has_gone_is_said(): void
    {
        unlink("{$this->fake->root()}/app/A.php");

        $this->expectExceptionObject(UnableToPreload::notRead("{$this->fake->project()->root}/app/A.php"));

        $this->script(Mode::Compile, 'preload.php')->text(self::selection());
    }

    #[Test]
    public function a_candidate_lies_beside_the_installed_script_and_takes_its_place_at_once(): void
    {
        $installed = "{$this->fake->root()}/preload.php";
        $candidate = new CandidateScript($this->script(Mode::Compile, 'preload.php'), $installed, new SystemClock);
        $path = $candidate->write(self::selection());

        self::assertSame(
            [dirname($installed), 0o644, false],
            [dirname($path), fileperms($path) & 0o777, $candidate->isInstalled()],
        );
        $candidate->install();
        self::assertSame([false, true, true], [is_file($path), is_file($installed), $candidate->isInstalled()]);

        $second = new CandidateScript($this->script(Mode::Autoload, 'preload.php'), $installed, new SystemClock);
        $path = $second->write(self::selection());
        self::assertFalse($second->isInstalled());
        $second->stop();
        $second->stop();
        self::assertFileDoesNotExist($path);
        self::assertTrue($candidate->isInstalled());
    }

    #[Test]
    public function a_folder_that_cannot_be_written_to_is_named(): void
    {
        $this->expectException(UnableToPreload::class);
        $this->expectExceptionMessageMatches('#/none/\.preload-[0-9a-f]{12}\.php .*No such file or directory#');

        (new CandidateScript(
            $this->script(Mode::Compile, 'preload.php'),
            "{$this->fake->root()}/none/preload.php",
            new SystemClock,
        ))->write(self::selection());
    }

    #[Test]
    #[Group('snapshot')]
    public function an_installed_script_is_read_back_and_objects_to_changed_files(): void
    {
        $root = $this->fake->root();
        $this->fake->file('preload.php', $this->script(Mode::Autoload, 'preload.php')->text(self::selection()));
        $installed = InstalledScript::at("{$root}/preload.php") ?? self::fail('It is not known as one of ours.');

        self::assertSame(
            ['hot', 'autoload', '8.9.7-odd', ['vendor/acme/lib/src/B.php', 'app/A.php']],
            [$installed->strategy, $installed->mode, $installed->php, $installed->files()],
        );
        self::assertSame([[], []], [$installed->objections($root, null), $installed->objections($root, '8.9.7-odd')]);
        self::assertCount(1, $installed->objections($root, '8.9.8'));

        $words = $installed->objections($root, '8.9.8');
        self::assertStringContainsString('8.9.7-odd', $words[0]);
        self::assertStringContainsString('8.9.8', $words[0]);

        foreach (['app/A.php', 'vendor/acme/lib/src/B.php', 'vendor/composer/installed.json'] as $file) {
            $before = (string) file_get_contents("{$root}/{$file}");
            file_put_contents("{$root}/{$file}", "\n", FILE_APPEND);
            $objections = $installed->objections($root, null);
            self::assertCount(1, $objections);
            $words[] = $objections[0];
            unlink("{$root}/{$file}");
            mkdir("{$root}/{$file}");
            self::assertSame($objections, $installed->objections($root, null));
            rmdir("{$root}/{$file}");
            file_put_contents("{$root}/{$file}", $before);
        }

        self::assertStringContainsString('vendor/composer/installed.json', $words[3]);
        self::assertCount(4, array_unique($words));
        Snapshot::assertPrinted('preload script', 'objections to an installed one', implode("\n", $words));
        self::assertSame([], $installed->objections($root, null));
        self::assertNull(InstalledScript::at("{$root}/app/A.php"));
        self::assertNull(InstalledScript::at("{$root}/none.php"));
        self::assertNull(InstalledScript::at($root));
    }

    private function script(Mode $mode, string $file): Script
    {
        return new Script($this->fake->project(), $file, $mode, Strategy::Hot, new PhpVersion('8.9.7-odd', 80907));
    }

    private static function selection(): Selection
    {
        return new Selection(
            ['vendor/acme/lib/src/B.php', 'app/A.php'],
            ['vendor/acme/lib/src/B.php' => ['Lib\B'], 'app/A.php' => ['App\A']],
            [],
        );
    }

    private static function evaluated(string $expression): mixed
    {
        return json_decode(
            (new Process([PHP_BINARY, '-r', "echo json_encode({$expression});"]))->mustRun()->getOutput(),
            true,
        );
    }
}

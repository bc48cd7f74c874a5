<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use Headroom\Core\SystemClock;
use Headroom\Preload\Fpm\PhpVersion;
use Headroom\Preload\Fpm\PrivateFpm;
use Headroom\Preload\Mode;
use Headroom\Preload\Page;
use Headroom\Preload\Script\Script;
use Headroom\Preload\Selection\IgnoreRules;
use Headroom\Preload\Selection\RequestedClasses;
use Headroom\Preload\Selection\Selector;
use Headroom\Preload\Selection\SourceCache;
use Headroom\Preload\Strategy;
use Headroom\Preload\TargetApplication;
use Headroom\Process\UnixUser;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Preload\FakeProject;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * PHP-FPM starts in any state of the files, and preloads no list that was not proven with them.
 */
#[Group('snapshot')]
final class ScriptTest extends TestCase
{
    private const ALL = ['App\A', 'App\Z', 'Lib\B'];

    private FakeProject $fake;

    protected function setUp(): void
    {
        Needs::webStack();
        $this->fake = FakeProject::create(owner: UnixUser::forWorkers('www-data'));
        $this->fake->app('A', 'class A extends \Lib\B {}')->app('Z', 'class Z {}')
            ->package('acme/lib', 'Lib')->file('vendor/acme/lib/src/B.php', '<?php namespace Lib; class B {}')
            ->file(
                'public/index.php',
                '<?php echo json_encode(array_values(array_filter(["App\\\\A", "App\\\\Z", "Lib\\\\B"], static fn'
                    .' ($class) => class_exists($class, false))));',
            )
            ->write();
    }

    protected function tearDown(): void
    {
        $this->fake->remove();
    }

    #[Test, Group('day-3')]
    public function it_preloads_in_both_modes_wherever_it_lies(): void
    {
        foreach (Mode::cases() as $mode) {
            foreach (['preload.php', 'a/preload.php', 'bootstrap/cache/preload.php', 'a/b/c/d/preload.php'] as $file) {
                $this->install($mode, $file);

                self::assertSame([self::ALL, []], $this->start($file), "{$mode->value} {$file}");
            }
        }
    }

    #[Test, Group('day-2')]
    public function it_finds_the_release_by_way_of_a_link_as_well(): void
    {
        $this->install();
        symlink($this->fake->root(), $this->fake->outside('current'));

        self::assertSame([self::ALL, []], $this->start(root: $this->fake->outside('current')));

        // A deploy takes all of it elsewhere.
        rename($this->fake->root(), $this->fake->outside('release-2'));
        self::assertSame([self::ALL, []], $this->start(root: $this->fake->outside('release-2')));
    }

    #[Test]
    public function another_php_preloads_nothing_and_says_so_once(): void
    {
        $this->install(php: new PhpVersion('8.0.1', 80001));

        $this->assertSays(
            [],
            '/headroom preload: .*\b8\.0\.1\b.*\b'.preg_quote(PHP_MAJOR_VERSION.'.'.PHP_MINOR_VERSION, '/')
                .'\..*headroom:preload$/',
            'another PHP',
        );
    }

    #[Test, Group('day-1')]
    public function other_packages_preload_nothing(): void
    {
        foreach (Mode::cases() as $mode) {
            $this->install($mode);
            $lock = "{$this->fake->root()}/vendor/composer/installed.json";
            file_put_contents($lock, "\n", FILE_APPEND);

            $this->assertSays([], '#headroom preload: .*'.preg_quote($lock, '#').' #', 'other packages');
            unlink($lock);
            $this->assertSays([], '#headroom preload: .*'.preg_quote($lock, '#').' #', 'other packages');
            $this->fake->write();
        }
    }

    #[Test, Group('day-1')]
    public function a_package_that_is_edited_gone_or_unreadable_preloads_nothing(): void
    {
        $file = "{$this->fake->root()}/vendor/acme/lib/src/B.php";

        foreach (Mode::cases() as $mode) {
            $this->install($mode);

            foreach ($this->damages($file) as $words => $damage) {
                $before = (string) file_get_contents($file);
                $damage();
                $this->assertSays(
                    [],
                    '#headroom preload: .*'.preg_quote($this->fake->root(), '#').'/vendor #',
                    'a changed package',
                    $words,
                );
                @unlink($file);
                file_put_contents($file, $before);
            }
        }
    }

    #[Test, Group('day-2')]
    public function an_application_that_is_edited_gone_or_unreadable_preloads_packages_only(): void
    {
        $file = "{$this->fake->root()}/app/Z.php";

        foreach (Mode::cases() as $mode) {
            $this->install($mode);

            foreach ($this->damages($file) as $words => $damage) {
                $before = (string) file_get_contents($file);
                $damage();
                $this->assertSays(['Lib\B'], '#headroom preload: (?!.*/vendor)#', 'a changed application', $words);
                @unlink($file);
                file_put_contents($file, $before);
            }
        }
    }

    #[Test]
    public function php_starts_when_a_class_throws_as_it_is_loaded(): void
    {
        $this->fake->app(
            'A',
            'if (PHP_SAPI !== "cli") { throw new \LogicException("not today"); } class A extends \Lib\B {}',
        );
        $this->install(Mode::Autoload);

        [$there, $log] = $this->start();

        self::assertContains('Lib\B', $there);
        self::assertContains('App\Z', $there, 'It comes behind it.');
        self::assertCount(1, $log);
        self::assertMatchesRegularExpression('#headroom preload: .*App\\\\A .*: not today#', $log[0]);
    }

    #[Test]
    public function code_of_a_file_runs_when_it_is_loaded(): void
    {
        $this->fake->app('Z', 'use Lib\B; if (true) { class Z extends B {} } final class Beside extends Z {}');
        $this->install(Mode::Autoload);

        self::assertSame([self::ALL, []], $this->start());
    }

    private function install(
        Mode $mode = Mode::Compile,
        string $file = 'bootstrap/cache/preload.php',
        ?PhpVersion $php = null,
    ): void {
        $project = $this->fake->project();
        $wanted = array_fill_keys(self::ALL, 0.5);
        array_walk($wanted, static function (mixed &$one, string $class) use ($project): void {
            $one = ['file' => (string) $project->fileOf($class), 'share' => 0.5];
        });
        $selection = (new Selector($project, new SourceCache($project), new IgnoreRules([]), $mode))->select(
            new RequestedClasses($wanted),
        );
        self::assertSame([], $selection->dropped);

        $this->fake->file(
            $file,
            (new Script($project, $file, $mode, Strategy::Hot, $php ?? $this->php()))->text($selection),
        );
    }

    /**
     * @return array{list<string>, list<string>} classes that are there before anybody asks for them,
     *     and what PHP logged
     */
    private function start(string $file = 'bootstrap/cache/preload.php', ?string $root = null): array
    {
        $root ??= $this->fake->root();
        $fpm = $this->fpm($root, "{$root}/{$file}");

        try {
            $log = $fpm->newLines();
            $there = json_decode($fpm->ask(new Page('GET', '/'))->body, true);
        } finally {
            $fpm->stop();
        }

        return [
            is_array($there) ? array_values(array_filter($there, is_string(...))) : self::fail('It gives no answer.'),
            $log,
        ];
    }

    /** @param list<string> $classes */
    private function assertSays(array $classes, string $pattern, string $case, string $words = ''): void
    {
        [$there, $log] = $this->start();

        self::assertSame($classes, $there, $words);
        self::assertCount(1, $log, $words);
        self::assertMatchesRegularExpression($pattern, $log[0], $words);
        Snapshot::assertPrinted('preload log', $case, (string) strstr($log[0], 'headroom preload: '));
    }

    /** @return array<string, callable(): mixed> */
    private function damages(string $file): array
    {
        return [
            'edited' => static fn () => file_put_contents($file, "\n", FILE_APPEND),
            'broken' => static fn () => file_put_contents($file, '<?php class {'),
            'gone' => static fn () => unlink($file),
            'a folder' => static function () use ($file): void {
                unlink($file);
                symlink(dirname($file), $file);
            },
            // Root may read anything, and does not preload: FPM does so as its workers.
            'kept' => static fn () => chmod($file, 0),
        ];
    }

    private function php(): PhpVersion
    {
        $fpm = $this->fpm($this->fake->root(), null);

        try {
            $said = json_decode($fpm->run('<?php echo json_encode([PHP_VERSION, PHP_VERSION_ID]);')->body, true);
        } finally {
            $fpm->stop();
        }

        return is_array($said) && is_string($said[0]) && is_int($said[1])
            ? new PhpVersion($said[0], $said[1])
            : self::fail('PHP-FPM does not say its version.');
    }

    private function fpm(string $root, ?string $preload): PrivateFpm
    {
        return PrivateFpm::start(
            new TargetApplication($root, "{$root}/public/index.php", account: UnixUser::forWorkers('www-data')),
            $preload,
            [],
            new SystemClock,
        );
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use Closure;
use Headroom\Core\SystemClock;
use Headroom\Preload\DroppedClass;
use Headroom\Preload\DropReason;
use Headroom\Preload\Fpm\PrivateFpm;
use Headroom\Preload\GeneratedList;
use Headroom\Preload\Generation\Generator;
use Headroom\Preload\GeneratorInput;
use Headroom\Preload\Page;
use Headroom\Preload\PreloadConfig;
use Headroom\Preload\TargetApplication;
use Headroom\Preload\UnableToPreload;
use Headroom\Process\UnixUser;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Preload\FakeProject;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A small application, and what would make of a proof none: each is refused, and nothing is installed.
 */
#[Group('snapshot')]
final class RefusalTest extends TestCase
{
    private const LOADER = <<<'PHP'
        <?php
        spl_autoload_register(static function (string $class): void {
            $file = match (true) {
                str_starts_with($class, 'App\\') => __DIR__.'/../app/'.strtr(substr($class, 4), '\\', '/').'.php',
                str_starts_with($class, 'Lib\\') => __DIR__.'/acme/lib/src/'.strtr(substr($class, 4), '\\', '/').'.php',
                default => '',
            };
            is_file($file) && require $file;
        });
        PHP;

    private FakeProject $fake;

    protected function setUp(): void
    {
        Needs::webStack();
        $this->fake = FakeProject::create(owner: UnixUser::forWorkers('www-data'));
        $this->fake->app('A', 'class A extends \Lib\B {}')->app('Z', 'class Z {}')
            ->package('acme/lib', 'Lib')->file('vendor/acme/lib/src/B.php', '<?php namespace Lib; class B {}')
            ->file('vendor/autoload.php', self::LOADER)->file('composer.json', '{}')
            ->file('bootstrap/cache/.gitignore', '*')
            ->write();
        $this->answers('new App\A; new App\Z; echo "well";');
    }

    protected function tearDown(): void
    {
        $this->fake->remove();
    }

    #[Test, Group('day-3')]
    public function the_small_application_as_it_is_is_proven(): void
    {
        $made = $this->make();

        self::assertSame([['GET /' => 200], 3, true], [$made->pages, $made->classes, $made->isInstalled]);
    }

    #[Test, Group('day-2')]
    public function a_list_is_installed_though_a_figure_cannot_be_measured(): void
    {
        $this->answers(
            'if (is_file(__DIR__."/../bootstrap/cache/preload.php")) { posix_kill(getmypid(), 9); } new App\A;'
                .' new App\Z; echo "well";',
        );

        $made = $this->make();

        self::assertSame(
            [true, 0.0, null],
            [$made->isInstalled, $made->gain->microsPerClass, $made->gain->requestMicros],
        );
    }

    #[Test, Group('day-3')]
    public function a_folder_that_is_a_link_would_lead_the_script_elsewhere(): void
    {
        mkdir($this->fake->outside('shared'));
        symlink($this->fake->outside('shared'), "{$this->fake->root()}/link");

        $this->assertRefused(
            ['3', 'PHP-FPM', '--user'],
            fn () => $this->make(['file' => 'link/preload.php']),
            'link/preload.php',
        );
    }

    #[Test, Group('day-1')]
    public function a_file_that_changes_meanwhile_was_not_proven(): void
    {
        $file = "{$this->fake->root()}/vendor/acme/lib/src/B.php";
        // The page itself does it, at the second of the three times that it is asked with the list.
        $this->answers(
            'new App\A; new App\Z; $n = (int) @file_get_contents(__DIR__."/n"); file_put_contents(__DIR__."/n",'
                .' (string) ++$n); if ($n === 9) { file_put_contents('.var_export($file, true)
                .', "\n// other", FILE_APPEND); } echo "well";',
        );
        chmod("{$this->fake->root()}/public", 0o777);
        chmod($file, 0o666);

        $this->assertRefused(UnableToPreload::changedMeanwhile(), fn () => $this->make());
    }

    #[Test]
    #[Group('proof')]
    public function a_page_that_shows_its_loaded_files_is_refused(): void
    {
        foreach (range('a', 'j') as $name) {
            $this->fake->app("L{$name}", "class L{$name} {}");
        }

        $this->answers(
            'foreach (range("a", "j") as $name) { class_exists("App\\\\L{$name}"); } echo count(get_included_files());',
        );

        $this->assertRefused(['GET /', '5'], fn () => $this->make());
    }

    #[Test, Group('day-1')]
    public function a_header_that_differs_each_time_drops_no_class(): void
    {
        $this->answers(
            'new App\A; new App\Z; header("Location: https://id.example/?state=".bin2hex(random_bytes(8)));'
                .' http_response_code(302);',
        );

        $made = $this->make();

        self::assertSame([['GET /' => 302], []], [$made->pages, $made->dropped]);
    }

    #[Test, Group('day-2')]
    public function a_header_that_differs_with_the_list_drops_a_class(): void
    {
        $this->answers(
            'header("Vary: ".(class_exists("App\Z", false) ? "Cookie" : "Accept")); new App\A; new App\Z; echo "well";',
        );

        $made = $this->make();

        self::assertSame(
            [['App\Z', DropReason::ChangesPage]],
            array_map(static fn (DroppedClass $one): array => [$one->class, $one->reason], $made->dropped),
        );
        Sentence::assertNames(['vary', "'Cookie'", "'Accept'"], $made->dropped[0]->detail);
    }

    #[Test, Group('day-3')]
    public function an_error_that_only_the_log_shows_is_a_difference(): void
    {
        $this->answers(
            'new App\A; if (class_exists("App\Z", false)) { trigger_error("Z is there", E_USER_WARNING); } new App\Z;'
                .' echo "well";',
        );

        self::assertSame(['App\Z'], array_column($this->make()->dropped, 'class'));
    }

    #[Test, Group('day-3')]
    public function a_class_asked_for_because_its_file_has_effects_is_no_hint(): void
    {
        $this->fake->app('Fresh', "class Fresh {}\nclass_exists(Old::class);")
            ->app('Old', "class_alias(Fresh::class, 'App\\\\Old');\nif (false) { class Old {} }");
        $this->fake->app('Hinting', "class_exists(Z::class);\nclass Hinting {}");
        $this->answers('new App\Fresh; new App\Hinting; echo json_encode(new App\Fresh instanceof App\Old);');

        $made = $this->make();

        self::assertSame(
            ['App\Fresh'],
            array_values(array_filter(
                array_column($made->dropped, 'class'),
                static fn (string $class): bool => $class !== 'App\Old',
            )),
        );
        Sentence::assertNames(['App\Old'], $made->dropped[0]->detail);
        self::assertContains('app/Hinting.php', $made->files);
    }

    /** @return iterable<string, array{string, string, int, bool}> what a page does, also where App\Z is preloaded */
    public static function brokenPages(): iterable
    {
        $crash = 'posix_kill(getmypid(), SIGSEGV);';
        $after = "fastcgi_finish_request(); {$crash}";
        $error = 'http_response_code(500); echo "sorry";';
        $late = 'fastcgi_finish_request(); trigger_error("late", E_USER_WARNING);';
        $throw =
            'register_shutdown_function(fn () => $hasZ ? posix_kill(getmypid(), SIGSEGV) : null); throw new Exception;';

        yield 'an error page and a crash' => [$error, $crash, 500, true];
        yield 'an error page and a crash after it' => [$error, $after, 500, true];
        yield 'an uncaught exception and a crash' => [$throw, '', 500, true];
        yield 'an error page and another one' => [$error, 'echo "other";', 500, true];
        yield 'an error page that stays' => [$error, '', 500, false];
        yield 'a working page and a crash after it' => ['echo "well";', $after, 200, true];
        yield 'a working page and an error after it' => ['echo "well";', $late, 200, true];
        yield 'a page that crashes after its answer by itself' => ["echo 'well'; {$after}", '', 200, false];
    }

    #[Test, Group('day-1')]
    #[DataProvider('brokenPages')]
    public function a_page_that_is_broken_by_itself_is_compared(
        string $does,
        string $preloaded,
        int $status,
        bool $isDropped,
    ): void {
        $this->answers(<<<PHP
            \$hasZ = class_exists('App\\Z', false);
            if (\$_SERVER['REQUEST_URI'] === '/broken') {
                {$does}
                if (\$hasZ) { {$preloaded} }
            } else {
                new App\\A; new App\\Z; echo 'well';
            }
            PHP);

        $made = $this->make(pages: ['/', '/broken']);

        self::assertSame(['GET /' => 200, 'GET /broken' => $status], $made->pages);
        self::assertSame($isDropped ? ['App\Z'] : [], array_column($made->dropped, 'class'));
        self::assertSame([], $made->leftOut);
        self::assertTrue($made->isInstalled);
    }

    #[Test, Group('day-2')]
    public function pages_that_do_not_work_prove_nothing(): void
    {
        $this->answers('http_response_code($_SERVER["REQUEST_URI"] === "/" ? 200 : 503);');
        $this->assertRefused(['2', '3', '503'], fn () => $this->make(pages: ['/', '/a', '/b']));

        $this->answers('http_response_code(404);');
        $this->assertRefused(UnableToPreload::nothingFound(2), fn () => $this->make(pages: ['/a', '/b']));
    }

    #[Test]
    public function a_script_written_by_hand_is_not_replaced(): void
    {
        $this->fake->file('bootstrap/cache/preload.php', '<?php // by hand');

        $root = $this->fake->root();
        $this->assertRefused(UnableToPreload::notOurs("{$root}/bootstrap/cache/preload.php"), fn () => $this->make());
        self::assertSame('<?php // by hand', file_get_contents("{$this->fake->root()}/bootstrap/cache/preload.php"));
        $this->assertRefused(
            UnableToPreload::notOurs("{$root}/public/index.php"),
            fn () => $this->make(['file' => 'public/index.php']),
            'none',
        );
        $this->assertRefused(
            UnableToPreload::noDirectory("{$root}/none"),
            fn () => $this->make(['file' => 'none/preload.php']),
            'none',
        );
        $this->assertRefused(
            UnableToPreload::noSuchPath('app/typo', $root),
            fn () => $this->make(['paths' => ['app/typo']]),
            'none',
        );
    }

    #[Test, Group('day-1')]
    public function files_that_lead_into_the_application_are_part_of_the_proof(): void
    {
        $this->make();

        foreach ([
            'composer.json' => '{"autoload":{}}',
            'public/index.php' => '<?php echo class_exists("App\A", false) ? "there" : "not there";',
        ] as $file => $text) {
            $before = (string) file_get_contents("{$this->fake->root()}/{$file}");
            $this->fake->file($file, $text);
            [$log, $body] = $this->served();
            $this->fake->file($file, $before);

            self::assertStringContainsString('headroom preload: ', $log, $file);
            Snapshot::assertPrinted(
                'preload log',
                'composer.json or the front controller has changed',
                (string) strstr($log, 'headroom preload: '),
            );
            self::assertSame($file === 'composer.json' ? 'well' : 'not there', $body, $file);
        }
    }

    #[Test, Group('day-1')]
    public function where_opcache_has_no_room_by_now_php_starts_without_the_list(): void
    {
        foreach (range(1, 250) as $i) {
            $this->fake->app("M{$i}", "class M{$i} {}");
        }

        $this->answers('foreach (range(1, 250) as $i) { class_exists("App\\\\M{$i}"); } echo "well";');
        $this->make();

        Sentence::assertNames(
            ['headroom preload', 'opcache.max_accelerated_files'],
            $this->served(['opcache.max_accelerated_files' => 200])[0],
        );
        self::assertSame(['', 'well'], $this->served(['memory_limit' => '4M']));
        self::assertSame('well', $this->served(['disable_functions' => 'error_log,realpath,hash_init'])[1]);
    }

    private function answers(string $code): void
    {
        $this->fake->file('public/index.php', "<?php\nrequire __DIR__.'/../vendor/autoload.php';\n{$code}\n");
    }

    /**
     * @param array<string, mixed> $config
     * @param list<string> $pages
     */
    private function make(array $config = [], array $pages = ['/']): GeneratedList
    {
        $generator = new Generator(
            $this->site(),
            PreloadConfig::fromArray($config, $this->fake->root()),
            new SystemClock,
            static function (string $line): void {},
        );

        return $generator->generate(new GeneratorInput(named: Generation::pages(...$pages)));
    }

    private function site(): TargetApplication
    {
        return new TargetApplication(
            $this->fake->root(),
            "{$this->fake->root()}/public/index.php",
            account: UnixUser::forWorkers('www-data'),
        );
    }

    /**
     * By a PHP-FPM that preloads what is installed.
     *
     * @param array<string, string|int|bool> $ini
     * @return array{string, string} what PHP logged when it started, and the body of the page
     */
    private function served(array $ini = []): array
    {
        $fpm = PrivateFpm::start($this->site(), "{$this->fake->root()}/bootstrap/cache/preload.php", $ini);

        try {
            return [implode("\n", $fpm->newLines()), $fpm->ask(new Page('GET', '/'))->body];
        } finally {
            $fpm->stop();
        }
    }

    /**
     * @param UnableToPreload|list<string> $why the failure, or the names and numbers in its message
     * @param Closure(): mixed $make
     */
    private function assertRefused(
        UnableToPreload|array $why,
        Closure $make,
        string $file = 'bootstrap/cache/preload.php',
    ): void {
        $path = "{$this->fake->root()}/{$file}";
        $before = is_file($path) ? file_get_contents($path) : null;

        try {
            $make();
        } catch (UnableToPreload $e) {
            is_array($why) ? Sentence::assertNames($why, $e->getMessage()) : self::assertEquals($why, $e);
            self::assertSame($before, is_file($path) ? file_get_contents($path) : null);

            return;
        }

        self::fail('It was installed.');
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use InvalidArgumentException;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;
use Workbench\Rig\Installation;
use Workbench\Rig\Production;

/**
 * The tests and benchmarks of preloading run on an application as it is deployed.
 */
final class ProductionTest extends TestCase
{
    private static ?Production $release = null;

    public static function tearDownAfterClass(): void
    {
        self::$release?->remove();
        self::$release = null;
    }

    #[Test, Group('day-3')]
    public function nothing_for_development_is_in_it(): void
    {
        $installed = (array) json_decode($this->read('vendor/composer/installed.json'), true);

        self::assertFalse($installed['dev']);
        self::assertSame([], $installed['dev-package-names']);
        self::assertDirectoryDoesNotExist(self::release()->path('vendor/phpunit'));
        self::assertFileExists(self::release()->path('composer.lock'));
    }

    #[Test]
    #[Group('proof')]
    public function it_loads_nothing_from_the_checkout(): void
    {
        $release = self::release();
        $code = 'require "bootstrap/autoload.php"; $app = require "bootstrap/app.php";'
            .' $app->make(Illuminate\Contracts\Console\Kernel::class)->bootstrap(); echo implode("\n",'
            .' get_included_files());';
        $files = explode("\n", (new Process([PHP_BINARY, '-r', $code], $release->path()))->mustRun()->getOutput());

        self::assertGreaterThan(100, count($files));
        self::assertSame(
            [],
            array_values(array_filter(
                $files,
                static fn (string $file): bool => ! str_starts_with($file, $release->path().'/'),
            )),
        );
    }

    #[Test, Group('day-2')]
    public function everything_that_laravel_caches_is_cached_where_laravel_looks_for_it(): void
    {
        $about = (array) json_decode(self::release()->artisan('about', '--json'), true);

        self::assertSame(['config' => true, 'events' => true, 'routes' => true, 'views' => true], $about['cache']);
        $caches = scandir(self::release()->path('bootstrap/cache'));
        self::assertSame(
            ['.', '..', 'config.php', 'events.php', 'packages.php', 'routes-v7.php', 'services.php'],
            $caches,
        );
    }

    #[Test]
    public function it_has_the_code_of_today(): void
    {
        $source = 'src/Preload/Page.php';

        self::assertFileEquals(
            Installation::checkout()."/{$source}",
            self::release()->path("vendor/headroom/headroom/{$source}"),
        );
        self::assertFileEquals(
            Installation::checkout().'/workbench/routes/web.php',
            self::release()->path('routes/web.php'),
        );
    }

    #[Test]
    public function the_web_servers_user_writes_where_it_has_to_and_nowhere_else(): void
    {
        $release = self::release();
        $owner = static fn (string $name): int|false => fileowner($release->path($name));
        $worker = posix_geteuid() === 0 ? posix_getpwnam('www-data')['uid'] ?? null : posix_geteuid();

        self::assertSame(
            [$worker, $worker, $worker],
            array_map($owner, ['storage/database.sqlite', 'storage/framework/views', 'bootstrap/cache/config.php']),
        );
        self::assertSame(
            [posix_geteuid(), posix_geteuid(), posix_geteuid()],
            array_map($owner, ['.env', 'vendor/autoload.php', 'app/Legacy/Money.php']),
        );
    }

    #[Test]
    public function a_change_in_a_copy_stays_in_that_copy(): void
    {
        $file = 'vendor/laravel/framework/src/Illuminate/Support/Str.php';
        $pristine = Installation::of()->path;
        $before = file_get_contents("{$pristine}/{$file}");

        file_put_contents(self::release()->path($file), '// changed', FILE_APPEND);

        self::assertNotSame($before, file_get_contents(self::release()->path($file)));
        self::assertSame($before, file_get_contents("{$pristine}/{$file}"));
    }

    #[Test, Group('day-3')]
    public function the_autoloader_is_the_one_that_was_asked_for(): void
    {
        $release = self::release();
        $inMap = fn (): bool
            => str_contains($this->read('vendor/composer/autoload_classmap.php'), 'Illuminate\\\\Support\\\\Str\'');
        $isAuthoritative = fn (): bool
            => str_contains($this->read('vendor/composer/autoload_real.php'), 'setClassMapAuthoritative(true)');

        self::assertSame([true, true], [$inMap(), $isAuthoritative()]);
        $release->dumpAutoload('plain');
        self::assertSame([false, false], [$inMap(), $isAuthoritative()]);
        $release->dumpAutoload('optimized');
        self::assertSame([true, false], [$inMap(), $isAuthoritative()]);
        $release->dumpAutoload('authoritative');
        self::assertSame([true, true], [$inMap(), $isAuthoritative()]);

        $this->expectException(InvalidArgumentException::class);
        $release->dumpAutoload('fast');
    }

    #[Test]
    public function a_command_that_fails_says_why(): void
    {
        $this->expectExceptionMessageMatches('/artisan no:such failed:.*no:such/s');

        self::release()->artisan('no:such');
    }

    private function read(string $name): string
    {
        return (string) file_get_contents(self::release()->path($name));
    }

    private static function release(): Production
    {
        return self::$release ??= Production::copy();
    }
}

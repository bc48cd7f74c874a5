<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Fpm;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Fpm\FpmProbe;
use Headroom\Doctor\Fpm\Runtime\ApplicationRoot;
use Headroom\Doctor\Nginx\Fpm\ServedApplications;
use Headroom\Host\Fpm\FastCgiClient;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * Which applications a real PHP-FPM has run, as its opcache tells.
 */
final class ApplicationsTest extends PoolsTestCase
{
    #[Test, Group('day-2')]
    public function applications_of_other_pools_are_seen_through_any_of_them(): void
    {
        $pools = $this->start(['a' => [], 'b' => []]);
        self::assertSame([], $this->applications('a'));

        $this->visit('a', $pools, 'srv/one');
        $this->visit('b', $pools, 'srv/two');

        self::assertSame(['srv/one', 'srv/two'], $this->applications('a'));
        self::assertSame(['srv/one', 'srv/two'], $this->applications('b'));
        self::assertSame(['srv/two'], $this->applications('a', 'srv/one'));
    }

    #[Test, Group('day-3')]
    public function a_removed_release_is_none_and_one_with_the_same_storage_is_the_same(): void
    {
        // Where a pool may not look, another one may.
        $pools = $this->start(['a' => [], 'b' => ['php_admin_value[open_basedir]' => sys_get_temp_dir()]]);
        mkdir("{$pools->directory->path}/shared");

        foreach (['blue', 'green', 'old'] as $name) {
            $this->visit('a', $pools, "srv/{$name}", ['storage' => "{$pools->directory->path}/shared"]);
        }

        unlink("{$pools->directory->path}/srv/old/storage");
        self::assertSame(['srv/blue', 'srv/old'], $this->applications('a'));
        rename("{$pools->directory->path}/srv/old", "{$pools->directory->path}/srv/taken");
        self::assertSame(['srv/blue'], $this->applications('a'));
        self::assertSame([], $this->applications('a', 'srv/green'));
    }

    #[Test]
    public function plugins_packages_and_prepended_files_are_no_applications(): void
    {
        $pools = $this->start(
            ['a' => ['php_value[auto_prepend_file]' => '%dir%/profiler/vendor/autoload.php']],
            ['profiler' => ''],
        );
        $this->visit('a', $pools, 'blog/wp-content/plugins/one');
        $this->visit('a', $pools, 'blog/wp-content/plugins/two');
        $this->visit('a', $pools, 'blog/wp-content/plugins/two/tools/own');
        $this->visit('a', $pools, 'packages', script: 'vendor/entry.php');

        self::assertSame(['blog'], $this->applications('a'));
        // It has a front controller of its own.
        $this->visit('a', $pools, 'blog/shop', script: 'public/index.php');
        self::assertSame(['blog', 'blog/shop'], $this->applications('a'));
    }

    #[Test]
    public function a_pool_that_tells_no_files_has_an_unknown_application(): void
    {
        $this->start(['a' => ['php_admin_value[opcache.restrict_api]' => '/srv']]);
        $this->expectException(FactUnavailable::class);
        $this->applications('a');
    }

    /**
     * @param array<string, array<string, string|int>> $settings
     * @param array<string, string> $autoloaders that are there from the beginning
     */
    private function start(array $settings, array $autoloaders = []): Pools
    {
        $this->pools = Pools::start($settings);

        foreach (array_keys($autoloaders) as $name) {
            self::composer("{$this->pools->directory->path}/{$name}");
        }

        return $this->pools;
    }

    /** @param array<string, string> $links */
    private function visit(
        string $pool,
        Pools $pools,
        string $name,
        array $links = [],
        string $script = 'app/run.php',
    ): void {
        $root = "{$pools->directory->path}/{$name}";
        self::composer($root);

        foreach ($links as $link => $target) {
            symlink($target, "{$root}/{$link}");
        }

        self::file("{$root}/{$script}", "<?php require '{$root}/vendor/autoload.php'; echo 'visited';");
        self::assertSame('visited', (new FastCgiClient)->get($pools->at($pool), "{$root}/{$script}")->body);
    }

    private static function composer(string $root): void
    {
        self::file("{$root}/vendor/composer/autoload_real.php", '<?php');
        self::file("{$root}/vendor/autoload.php", '<?php require __DIR__."/composer/autoload_real.php";');
    }

    private static function file(string $path, string $code): void
    {
        is_dir(dirname($path)) || mkdir(dirname($path), recursive: true);
        file_put_contents($path, $code);
        // Older than opcache.file_update_protection, so that it is cached.
        touch($path, time() - 60);
    }

    /** @return list<string> paths below the directory of the test; those besides one of them where that is named */
    private function applications(string $pool, ?string $besides = null): array
    {
        $pools = $this->pools ?? self::fail();
        $known = (new FpmProbe)->facts(array_values(array_filter(
            RunningMaster::all(),
            static fn (RunningMaster $master): bool => $master->configFile === $pools->directory->file('fpm.conf'),
        )));
        $asked = $known->listeningAt($pools->at($pool)->text()) ?? self::fail();
        $applications = new ServedApplications($known, null);
        $roots = $besides === null
            ? $applications->of($asked)
            : $applications->besides($asked, $pools->directory->file($besides));
        $paths = array_map(
            static fn (ApplicationRoot $root): string => substr($root->path, strlen($pools->directory->path) + 1),
            $roots,
        );
        sort($paths);

        return $paths;
    }
}

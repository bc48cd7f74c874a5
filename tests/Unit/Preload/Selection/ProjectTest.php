<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload\Selection;

use Headroom\Preload\Selection\Project;
use Headroom\Preload\UnableToPreload;
use Headroom\Tests\Unit\Preload\FakeProject;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Where Composer's loader looks, and in which order.
 */
final class ProjectTest extends TestCase
{
    private FakeProject $fake;

    protected function setUp(): void
    {
        $this->fake = FakeProject::create();
    }

    protected function tearDown(): void
    {
        $this->fake->remove();
    }

    #[Test]
    public function a_class_is_found_below_the_longest_prefix_that_has_it(): void
    {
        $this->fake->app('One', 'class One {}')->file('app/Deep/Two.php', '')->file('deep/Two.php', '')
            ->file('any/Other/Three.php', '')
            ->psr4('App\\Deep\\', '$baseDir.\'/deep\'')->psr4('', '$baseDir.\'/any\'')->write();
        $project = $this->fake->project();

        self::assertSame('app/One.php', $project->fileOf('App\One'));
        self::assertSame('deep/Two.php', $project->fileOf('App\Deep\Two'));
        self::assertSame('any/Other/Three.php', $project->fileOf('Other\Three'));
        self::assertNull($project->fileOf('App\None'));
        self::assertNull($project->fileOf('app\One'), 'Composer tells upper from lower case.');
        self::assertNull($project->fileOf('App\one'));
        self::assertNull($project->fileOf("App\\One@anonymous\0/app/One.php:3$0"));
    }

    #[Test]
    public function underscores_are_folders_in_the_names_of_psr_0_and_not_in_their_namespaces(): void
    {
        $this->fake->file('old/My_Ns/A/B.php', '')
            ->file('old/Flat/A.php', '')
            ->psr0('My_Ns', '$baseDir.\'/old\'')
            ->psr0('Flat_', '$baseDir.\'/old\'')
            ->write();
        $project = $this->fake->project();

        self::assertSame('old/My_Ns/A/B.php', $project->fileOf('My_Ns\A_B'));
        self::assertSame('old/Flat/A.php', $project->fileOf('Flat_A'));
        self::assertNull($project->fileOf('My_Ns\A\C'));
    }

    #[Test]
    public function the_map_goes_first_and_alone_when_it_is_authoritative(): void
    {
        $this->fake->app('One', '')
            ->app('Two', '')
            ->file('other/One.php', '')
            ->mapped('App\One', '$baseDir.\'/other/One.php\'');

        $project = $this->fake->write()->project();
        self::assertSame(
            [false, 'other/One.php', 'app/Two.php'],
            [$project->isAuthoritative, $project->fileOf('App\One'), $project->fileOf('App\Two')],
        );

        $project = $this->fake->write(isAuthoritative: true)->project();
        self::assertSame(
            [true, 'other/One.php', null],
            [$project->isAuthoritative, $project->fileOf('App\One'), $project->fileOf('App\Two')],
        );
    }

    #[Test]
    public function a_file_belongs_to_the_package_of_the_deepest_folder(): void
    {
        $this->fake->package('acme/outer', 'Outer')
            ->package('acme/outer-more', 'More', isDev: true)
            ->package('acme/inner', 'Inner', path: '../acme/outer/lib/inner')
            ->metaPackage('acme/meta')
            ->write(hasDev: true);
        $project = $this->fake->project();

        self::assertSame('acme/outer', $project->packageOf('vendor/acme/outer/src/A.php')?->name);
        self::assertSame('acme/outer-more', $project->packageOf('vendor/acme/outer-more/src/A.php')?->name);
        self::assertSame('acme/inner', $project->packageOf('vendor/acme/outer/lib/inner/A.php')?->name);
        self::assertNull($project->packageOf('app/A.php'));
        self::assertSame(
            [true, false],
            [$project->package('acme/outer-more')?->isDev, $project->package('acme/outer')?->isDev],
        );
        self::assertNull($project->package('acme/meta'));
        self::assertTrue($project->hasDevPackages);
        self::assertSame(
            [true, false],
            [$project->isOfApplication('app/A.php'), $project->isOfApplication('vendor/acme/outer/src/A.php')],
        );
    }

    #[Test]
    public function packages_are_where_composer_json_says(): void
    {
        $this->fake->remove();
        $this->fake = FakeProject::create(vendor: 'lib/php');
        $this->fake->package('acme/one', 'One')
            ->file('composer.json', '{"config":{"vendor-dir":"./lib//php/"}}')
            ->file('lib/php/acme/one/src/A.php', '')
            ->app('B', '')
            ->write();
        $project = $this->fake->project();

        self::assertSame(
            ['lib/php/acme/one/src/A.php', 'app/B.php'],
            [$project->fileOf('One\A'), $project->fileOf('App\B')],
        );
        self::assertSame('lib/php/composer/installed.json', $project->lockFile());
        self::assertSame('acme/one', $project->packageOf('lib/php/acme/one/src/A.php')?->name);
        self::assertFalse($project->isOfApplication('lib/php/acme/one/src/A.php'));
    }

    #[Test]
    public function packages_may_lie_beside_the_root(): void
    {
        $this->fake->remove();
        $this->fake = FakeProject::create(vendor: '../packages');
        $this->fake->package('acme/one', 'One')
            ->file('composer.json', '{"config":{"vendor-dir":"../packages"}}')
            ->file('../packages/acme/one/src/A.php', '')
            ->app('B', '')
            ->write();
        $project = $this->fake->project();

        self::assertSame(
            ['../packages/acme/one/src/A.php', 'app/B.php'],
            [$project->fileOf('One\A'), $project->fileOf('App\B')],
        );
        self::assertFileExists($project->absolute('../packages/acme/one/src/A.php'));
        self::assertSame('acme/one', $project->packageOf('../packages/acme/one/src/A.php')?->name);
        self::assertFalse($project->isOfApplication('../packages/acme/one/src/A.php'));
    }

    #[Test]
    public function a_class_outside_of_the_root_is_not_taken_for_one_within(): void
    {
        $this->fake->app('A', '')->file('shared/A.php', '')->file('../shared/A.php', '')->file('../shared/B.php', '')
            ->psr4('Shared\\', '$baseDir.\'/../shared\'')
            ->psr4('Far\\', var_export(dirname($this->fake->root()).'/shared', true))
            ->package('acme/out', 'Out', path: '../../../shared')->write();
        $project = $this->fake->project();

        self::assertNull($project->fileOf('Shared\A'));
        self::assertNull($project->fileOf('Shared\B'));
        self::assertNull($project->fileOf('Far\A'));
        self::assertNull($project->packageOf('shared/A.php'));
        self::assertNull($project->relative($project->root.'-2/app/A.php'));
    }

    #[Test]
    public function dots_in_the_folders_of_composer_are_resolved(): void
    {
        $this->fake->file('lib/A.php', '')->psr4('Lib\\', '$baseDir.\'/app/../lib/.\'')->write();
        mkdir("{$this->fake->root()}/app");

        self::assertSame('lib/A.php', $this->fake->project()->fileOf('Lib\A'));
    }

    #[Test]
    public function a_class_that_is_reached_by_links_keeps_its_name_below_the_root(): void
    {
        $this->fake->package('acme/linked', 'Linked')->app('A', '')->write();
        mkdir($this->fake->outside('linked/src'), 0o755, true);
        file_put_contents($this->fake->outside('linked/src/B.php'), '');
        mkdir("{$this->fake->root()}/vendor/acme");
        symlink($this->fake->outside('linked'), "{$this->fake->root()}/vendor/acme/linked");
        symlink($this->fake->root(), $this->fake->outside('current'));

        $project = Project::at($this->fake->outside('current'));

        self::assertSame((string) realpath($this->fake->root()), $project->root);
        self::assertSame(
            ['app/A.php', 'vendor/acme/linked/src/B.php'],
            [$project->fileOf('App\A'), $project->fileOf('Linked\B')],
        );
    }

    #[Test]
    public function a_linked_vendor_keeps_its_name_as_well(): void
    {
        $this->fake->package('acme/one', 'One')->file('vendor/acme/one/src/A.php', '')->write();
        rename("{$this->fake->root()}/vendor", $this->fake->outside('elsewhere'));
        symlink($this->fake->outside('elsewhere'), "{$this->fake->root()}/vendor");

        self::assertSame('vendor/acme/one/src/A.php', $this->fake->project()->fileOf('One\A'));
    }

    #[Test]
    public function without_installed_packages_it_names_the_missing_file(): void
    {
        mkdir($this->fake->root());

        foreach ([
            fn () => $this->fake->project(),
            fn () => Project::at($this->fake->outside('none')),
            fn () => $this->fake->write()->file('vendor/composer/installed.json', 'null')->project(),
        ] as $try) {
            try {
                $try();
                self::fail('It was taken for an application.');
            } catch (UnableToPreload $e) {
                self::assertStringContainsString('/vendor/composer/installed.json', $e->getMessage());
            }
        }
    }
}

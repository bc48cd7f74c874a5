<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload\Selection;

use Headroom\Preload\GeneratorInput;
use Headroom\Preload\Observation\ObservedPages;
use Headroom\Preload\ObservedRequests;
use Headroom\Preload\Page;
use Headroom\Preload\PreloadConfig;
use Headroom\Preload\Selection\ClassFinder;
use Headroom\Preload\Selection\SourceCache;
use Headroom\Preload\Selection\StrategyResolver;
use Headroom\Preload\Selection\UsageShares;
use Headroom\Preload\Strategy;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Unit\Preload\FakeProject;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class StrategyResolverTest extends TestCase
{
    private FakeProject $fake;

    protected function setUp(): void
    {
        $this->fake = FakeProject::create();
        $illuminate = 'vendor/laravel/framework/src/';
        $this->fake->package('laravel/framework', 'Illuminate')->package('laravel/pail', 'Laravel\\Pail', isDev: true)
            ->package('acme/used', 'Acme\\Used')->package('acme/unused', 'Acme\\Unused')
            ->package('acme/dev', 'Acme\\Dev', isDev: true)
            ->file("{$illuminate}Http/Request.php", '<?php namespace Illuminate\Http; class Request {}')
            ->file("{$illuminate}Http/Response.php", '<?php namespace Illuminate\Http; class Response {}')
            ->file("{$illuminate}Queue/Worker.php", '<?php namespace Illuminate\Queue; class Worker {}')
            ->file("{$illuminate}Queue/stubs/Job.php", '<?php namespace Stubs; class Job {}')
            ->file("{$illuminate}helpers.php", '<?php function f() {}')
            ->file("{$illuminate}Broken.php", '<?php class {')
            ->file('vendor/laravel/pail/src/Pail.php', '<?php namespace Laravel\Pail; class Pail {}')
            ->file('vendor/acme/used/src/A.php', '<?php namespace Acme\Used; class A {}')
            ->file('vendor/acme/used/src/B.php', '<?php namespace Acme\Used; class B {} class Beside {}')
            ->file('vendor/acme/used/tests/ATest.php', '<?php namespace Acme\Used\Tests; class ATest {}')
            ->file('vendor/acme/unused/src/C.php', '<?php namespace Acme\Unused; class C {}')
            ->file('vendor/acme/dev/src/D.php', '<?php namespace Acme\Dev; class D {}')
            ->app('Home', 'class Home {}')->app('Rare', 'class Rare {}')->write();
    }

    protected function tearDown(): void
    {
        $this->fake->remove();
    }

    #[Test]
    public function each_strategy_wants_the_classes_that_it_is_named_for(): void
    {
        $request = ['Illuminate\Http\Request' => 1.0];
        $http = ['Illuminate\Http\Request' => 1.0, 'Illuminate\Http\Response' => 0.0];

        self::assertEquals([...$http, 'Illuminate\Queue\Worker' => 0.0], $this->requested(Strategy::Laravel));
        self::assertEquals($http, $this->requested(Strategy::Refined));
        self::assertEquals([...$http, 'Acme\Used\A' => 0.5, 'Acme\Used\B' => 0.0], $this->requested(Strategy::Vendors));
        self::assertEquals(
            [...$request, 'Acme\Used\A' => 0.5, 'App\Home' => 0.05, 'Acme\Dev\D' => 1.0],
            $this->requested(Strategy::Hot),
        );
        self::assertEquals($request, $this->requested(Strategy::HotLaravel));
    }

    #[Test]
    public function paths_are_wanted_besides_however_they_are_written(): void
    {
        $rare = ['App\Rare' => 0.01];

        foreach (['app/Rare.php', './app/Rare.php', 'app//Rare.php'] as $path) {
            self::assertEquals(
                ['Illuminate\Http\Request' => 1.0, ...$rare],
                $this->requested(Strategy::HotLaravel, ['paths' => [$path, 'none']]),
            );
        }

        self::assertEquals(
            ['Illuminate\Http\Request' => 1.0, ...$rare, 'App\Home' => 0.05],
            $this->requested(Strategy::HotLaravel, ['paths' => ['./app/']]),
        );
    }

    #[Test]
    public function a_path_that_leads_out_of_the_root_is_refused(): void
    {
        foreach (['/app', '../../etc', 'app/../..'] as $path) {
            try {
                $this->requested(Strategy::HotLaravel, ['paths' => [$path]]);
                self::fail("{$path} was taken.");
            } catch (InvalidConfig $e) {
                self::assertSame('headroom.preload.paths', $e->key);
            }
        }
    }

    #[Test]
    public function the_share_decides_which_classes_are_hot(): void
    {
        self::assertArrayHasKey('App\Rare', $this->requested(Strategy::Hot, ['share' => '0.01']));
        self::assertArrayNotHasKey('App\Home', $this->requested(Strategy::Hot, ['share' => '0.051']));
        self::assertArrayNotHasKey('App\Never', $this->requested(Strategy::Hot, ['share' => '0']));
    }

    #[Test]
    public function folders_have_the_classes_that_the_loader_finds_in_just_that_file(): void
    {
        $project = $this->fake->project();
        mkdir("{$project->root}/vendor/acme/used/loop");
        symlink("{$project->root}/vendor", "{$project->root}/vendor/acme/used/loop/again");

        self::assertSame(
            ['Acme\Used\A' => 'vendor/acme/used/src/A.php', 'Acme\Used\B' => 'vendor/acme/used/src/B.php'],
            (new ClassFinder($project, new SourceCache($project)))->classes(['vendor/acme/used/']),
        );
    }

    #[Test]
    public function a_class_has_the_greatest_share_that_any_source_gives_it(): void
    {
        [
            $named, $logged, $often,
        ] = [new Page('GET', '/named'), new Page('GET', '/logged'), new Page('GET', '/often', weight: 3)];
        $driven = new ObservedPages(
            [[$named, ['Named', 'Both']], [$logged, ['Logged']], [$often, ['Often', 'Both']]],
            [],
        );
        $samples = new ObservedRequests(10, ['Sampled' => 1, 'Logged' => 9], 4, ['Late' => 2], ['Preloaded' => 4]);

        $shares = UsageShares::of(new GeneratorInput($samples, [$named], [$logged, $often]), $driven, 0.2);
        ksort($shares);
        self::assertSame(
            ['Both' => 1.0, 'Late' => 0.5, 'Logged' => 0.9, 'Named' => 1.0, 'Often' => 0.75, 'Sampled' => 0.1],
            $shares,
        );
    }

    #[Test]
    public function preloaded_classes_stay_where_nothing_else_was_ever_observed(): void
    {
        $samples = new ObservedRequests(0, [], 4, ['Late' => 2], ['Preloaded' => 4, 'Late' => 0]);

        self::assertSame(
            ['Late' => 0.5, 'Preloaded' => 0.2],
            UsageShares::of(new GeneratorInput($samples), new ObservedPages([], []), 0.2),
        );
        self::assertSame(
            ['Preloaded' => 0.2],
            UsageShares::of(
                new GeneratorInput(new ObservedRequests(preloaded: ['Preloaded' => 1])),
                new ObservedPages([], []),
                0.2,
            ),
        );
        self::assertSame(
            [],
            UsageShares::of(
                new GeneratorInput(new ObservedRequests(1, [], preloaded: ['Preloaded' => 1])),
                new ObservedPages([], []),
                0.2,
            ),
        );
    }

    /**
     * @param array<string, mixed> $config
     * @return array<string, float> shares by class
     */
    private function requested(Strategy $strategy, array $config = []): array
    {
        $project = $this->fake->project();
        $shares = [
            'Illuminate\Http\Request' => 1.0,
            'Acme\Used\A' => 0.5,
            'App\Home' => 0.05,
            'App\Rare' => 0.01,
            'App\Never' => 0.0,
            'Acme\Dev\D' => 1.0,
            'Out\Of\Reach' => 1.0,
        ];

        return array_column(array_map(
            static fn (string $class, array $one): array => [$class, $one['share']],
            array_keys(
                $classes = (new StrategyResolver(
                    $project,
                    new ClassFinder($project, new SourceCache($project)),
                    $shares,
                ))->requested(
                    $strategy,
                    PreloadConfig::fromArray($config, $project->root),
                )->classes,
            ),
            $classes,
        ), 1, 0);
    }
}

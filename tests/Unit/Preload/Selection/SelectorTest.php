<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload\Selection;

use Headroom\Preload\DroppedClass;
use Headroom\Preload\DropReason;
use Headroom\Preload\Mode;
use Headroom\Preload\Selection\Selection;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

final class SelectorTest extends SelectorTestCase
{
    #[Test]
    public function a_class_brings_all_that_it_needs_and_comes_behind_it(): void
    {
        $this->fake->app(
            'A',
            'use Lib\B; class A extends B implements I, \Countable { use T; function count():'
                .' int { return (new class extends Y {})->n; } }',
        )
            ->app('I', 'interface I extends J {}')->app('J', 'interface J {}')->app('T', 'trait T { use U; }')
            ->app('U', 'trait U {}')->app('Y', 'class Y { public int $n = 0; }')
            ->app('Unused', 'class Unused {}')
            ->package('acme/lib', 'Lib')
            ->file('vendor/acme/lib/src/B.php', '<?php namespace Lib; class B extends \Exception {}')->write();

        $selection = $this->select(['App\A']);

        self::assertSame(
            ['app/J.php', 'app/I.php', 'app/U.php', 'app/T.php', 'app/Y.php', 'vendor/acme/lib/src/B.php', 'app/A.php'],
            $selection->files,
        );
        self::assertSame(['App\J', 'App\I', 'App\U', 'App\T', 'App\Y', 'Lib\B', 'App\A'], $selection->classNames());
        self::assertSame([], $selection->dropped);
    }

    #[Test]
    public function without_an_optional_package_its_descendants_fall_too(): void
    {
        $this->fake->app('A', 'class A implements \Optional\Thing {}')
            ->app('B', 'class B extends A {}')
            ->app('C', 'class C { function f() { return new class extends B {}; } }')
            ->app('D', 'class D {}')
            ->write();

        $selection = $this->select(['App\A', 'App\B', 'App\C', 'App\D']);

        self::assertSame(['app/D.php'], $selection->files);
        self::assertSame([
            ['App\B', DropReason::DroppedAncestor],
            ['App\C', DropReason::DroppedAncestor],
            ['App\A', DropReason::MissingAncestor],
        ], self::reasons($selection));
        self::assertNamed(['App\A', 'Optional\Thing'], self::detail($selection, 'App\B'));
        self::assertSame(self::detail($selection, 'App\B'), self::detail($selection, 'App\C'));
        self::assertNamed(['Optional\Thing'], self::detail($selection, 'App\A'));
    }

    #[Test]
    #[Group('snapshot')]
    public function reasons_against_a_file_are_told(): void
    {
        $this->fake->app('Impure', 'class Impure {} define("X", 1);')->app('Broken', 'class {')->app('Gone', '')
            ->file('bootstrap/cache/Made.php', '<?php class Made {}')
            ->mapped('Made', '$baseDir.\'/bootstrap/cache/Made.php\'')
            ->file('vendor/composer/Loader.php', '<?php class Loader {}')
            ->mapped('Loader', '$vendorDir.\'/composer/Loader.php\'')
            ->file('storage/Stored.php', '<?php class Stored {}')->mapped('Stored', '$baseDir.\'/storage/Stored.php\'')
            ->package('acme/dev', 'Dev', isDev: true)
            ->file('vendor/acme/dev/src/Tool.php', '<?php namespace Dev; class Tool {}')
            ->app('Uses', 'class Uses extends \Dev\Tool {}')->write();
        unlink("{$this->fake->root()}/app/Gone.php");
        $this->fake->mapped('App\Gone', '$baseDir.\'/app/Gone.php\'')->write();
        $root = $this->fake->project()->root;

        $selection = $this->select([
            'App\Impure', 'App\Broken', 'App\Gone', 'Made', 'Loader', 'Stored', 'Dev\Tool', 'App\Uses',
        ]);

        self::assertSame([], $selection->files);
        self::assertSame([], $selection->classNames());
        self::assertSame([
            ['Dev\Tool', DropReason::DevPackage],
            ['App\Impure', DropReason::Impure],
            ['App\Uses', DropReason::DroppedAncestor],
            ['Loader', DropReason::Ignored],
            ['Made', DropReason::Ignored],
            ['Stored', DropReason::Ignored],
            ['App\Broken', DropReason::Unreadable],
            ['App\Gone', DropReason::Unreadable],
        ], self::reasons($selection));
        self::assertNamed(['acme/dev'], self::detail($selection, 'Dev\Tool'));
        self::assertNamed(['Dev\Tool', 'acme/dev'], self::detail($selection, 'App\Uses'));
        self::assertNamed([' 2'], self::detail($selection, 'App\Impure'));
        self::assertNamed(['vendor/composer/Loader.php'], self::detail($selection, 'Loader'));
        self::assertNamed(
            ["{$root}/app/Broken.php", PHP_VERSION, ' 2', 'syntax error, unexpected token "{"'],
            self::detail($selection, 'App\Broken'),
        );
        self::assertNamed(["{$root}/app/Gone.php"], self::detail($selection, 'App\Gone'));
        Snapshot::assertPrinted(
            'preload selection',
            'reasons against files',
            implode("\n", array_column($selection->dropped, 'detail')),
        );
    }

    #[Test]
    public function a_file_that_runs_is_taken_by_running_it(): void
    {
        $this->fake->app(
            'Impure',
            'if (! defined("X")) { define("X", 1); } use Lib\B; class Impure extends B {} final class Second'
                .' extends Impure {}',
        )
            ->package('acme/lib', 'Lib')->file('vendor/acme/lib/src/B.php', '<?php namespace Lib; class B {}')
            ->app('Heir', 'class Heir extends Impure {}')->write();

        $selection = $this->select(['App\Heir'], mode: Mode::Autoload);

        self::assertSame(['vendor/acme/lib/src/B.php', 'app/Impure.php', 'app/Heir.php'], $selection->files);
        self::assertSame(['Lib\B', 'App\Impure', 'App\Second', 'App\Heir'], $selection->classNames());
    }

    #[Test]
    public function classes_are_ignored_by_file_folder_namespace_or_class(): void
    {
        $this->fake->app('A', 'class A {}')
            ->app('AB', 'class AB {}')
            ->app('Sub/C', 'class C {}')
            ->app('Subway/D', 'class D {}')
            ->write();
        $all = ['App\A', 'App\AB', 'App\Sub\C', 'App\Subway\D'];
        $left = fn (string ...$ignore): array => $this->select($all, array_values($ignore))->files;

        self::assertSame(
            ['app/A.php', 'app/AB.php', 'app/Sub/C.php', 'app/Subway/D.php'],
            $left('', '/', '\\', 'app/A', 'App\Su', 'pp/A.php'),
        );
        self::assertSame(['app/AB.php', 'app/Sub/C.php', 'app/Subway/D.php'], $left('app/A.php'));
        self::assertSame(['app/AB.php', 'app/Subway/D.php'], $left('./app/Sub/', '\App\a'));
        self::assertSame(['app/A.php', 'app/AB.php', 'app/Subway/D.php'], $left('App\Sub\\'));
        self::assertSame([], $left('/app'));
        $selection = $this->select(['App\A'], ['App\A']);
        self::assertSame([['App\A', DropReason::Ignored]], self::reasons($selection));
        self::assertNamed(['ignore', 'App\A'], self::detail($selection, 'App\A'));
    }

    #[Test]
    public function a_file_with_an_ignored_class_is_left_out_for_all_its_classes(): void
    {
        $this->fake->app('Both', 'class Both {} class Other {}')
            ->mapped('App\Other', '$baseDir.\'/app/Both.php\'')
            ->app('Heir', 'class Heir extends Both {}')
            ->write();

        foreach ([['App\Both', 'App\Other', 'App\Heir'], ['App\Heir', 'App\Other'], ['App\Both']] as $classes) {
            self::assertSame([], $this->select($classes, ['App\Other'])->files);
        }

        self::assertSame(['app/Both.php'], $this->select(['App\Other'])->files);
    }

    #[Test]
    public function files_that_need_each_other_are_taken_together(): void
    {
        $this->fake->app('A', 'class A {} class A2 extends B {}')->app('B', 'class B extends A {}')->write();

        foreach ([['App\A'], ['App\B'], ['App\B', 'App\A']] as $classes) {
            self::assertEqualsCanonicalizing(['app/A.php', 'app/B.php'], $this->select($classes)->files);
            self::assertSame([], $this->select($classes)->dropped);
        }
    }

    #[Test]
    public function files_that_need_each_other_fall_together(): void
    {
        $this->fake->app('A', 'class A {} class A2 extends B {} class A3 extends \Missing {}')
            ->app('B', 'class B extends C {}')
            ->app('C', 'class C extends A {}')
            ->app('D', 'class D {}')
            ->write();

        foreach ([
            ['App\A', 'App\B', 'App\C', 'App\D'],
            ['App\B', 'App\D'],
            ['App\C', 'App\A', 'App\D'],
            ['App\D', 'App\A', 'App\B'],
        ] as $classes) {
            $selection = $this->select($classes);
            self::assertSame(['app/D.php'], $selection->files, implode(' ', $classes));
            self::assertCount(count($classes) - 1, $selection->dropped);
        }
    }

    #[Test]
    public function a_banned_file_takes_its_descendants_along_and_nothing_comes_back(): void
    {
        $this->fake->app('A', 'class A {}')
            ->app('B', 'class B extends A {}')
            ->app('C', 'class C extends B {}')
            ->app('D', 'class D extends A {}')
            ->write();
        $all = ['App\A', 'App\B', 'App\C', 'App\D'];
        $excluded = [];
        $before = $this->select($all)->files;

        foreach (['app/C.php' => 3, 'app/B.php' => 2, 'app/A.php' => 0] as $file => $left) {
            $excluded[$file] = new DroppedClass('X', $file, DropReason::Warned, 'PHP says so');
            $selection = $this->select($all, excluded: $excluded);
            self::assertCount($left, $selection->files);
            self::assertSame([], array_diff($selection->files, $before));
            $before = $selection->files;
        }

        $selection = $this->select($all, excluded: $excluded);
        self::assertContains(['App\A', DropReason::Warned], self::reasons($selection));
        self::assertContains(['App\C', DropReason::Warned], self::reasons($selection));
        self::assertContains(['App\D', DropReason::DroppedAncestor], self::reasons($selection));
        self::assertSame('PHP says so', self::detail($selection, 'App\A'));
        self::assertSame('PHP says so', self::detail($selection, 'App\C'));
        self::assertNamed(['App\A', 'PHP says so'], self::detail($selection, 'App\D'));
    }

    #[Test]
    public function a_file_that_declares_another_class_is_not_taken_for_it(): void
    {
        $this->fake->app('Wrong', 'class Right {}')
            ->app('Heir', 'class Heir extends Wrong {}')
            ->app('CASED', 'class Cased {}')
            ->app('Low', 'class Low extends cased {}')
            ->write();

        $selection = $this->select(['App\Wrong', 'App\Heir', 'App\CASED', 'App\Low']);

        self::assertSame(['app/CASED.php'], $selection->files, 'To PHP, names that differ in case are one.');
        self::assertSame([
            ['App\Heir', DropReason::DroppedAncestor],
            ['App\Low', DropReason::MissingAncestor],
            ['App\Wrong', DropReason::NotDeclared],
        ], self::reasons($selection));
        self::assertNamed(['App\Wrong', 'app/Wrong.php'], self::detail($selection, 'App\Heir'));
        self::assertNamed(['App\cased'], self::detail($selection, 'App\Low'));
        self::assertNamed(['app/Wrong.php'], self::detail($selection, 'App\Wrong'));
    }

    /** @return list<array{string, DropReason}> */
    private static function reasons(Selection $selection): array
    {
        return array_map(
            static fn (DroppedClass $dropped): array => [$dropped->class, $dropped->reason],
            $selection->dropped,
        );
    }

    private static function detail(Selection $selection, string $class): string
    {
        return array_column($selection->dropped, 'detail', 'class')[$class] ?? self::fail("{$class} was not dropped.");
    }

    /** @param list<string> $names */
    private static function assertNamed(array $names, string $detail): void
    {
        foreach ($names as $name) {
            self::assertStringContainsString($name, $detail);
        }
    }
}

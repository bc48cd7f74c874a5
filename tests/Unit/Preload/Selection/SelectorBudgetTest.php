<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload\Selection;

use Headroom\Preload\DroppedClass;
use Headroom\Preload\DropReason;
use Headroom\Preload\Mode;
use Headroom\Preload\Selection\ListBuilder;
use Headroom\Preload\Selection\MemoryBudget;
use PHPUnit\Framework\Attributes\Test;

/**
 * The selection if the budget is too small for all classes.
 */
final class SelectorBudgetTest extends SelectorTestCase
{
    #[Test]
    public function the_selection_does_not_depend_on_the_order_of_wanted_classes(): void
    {
        $classes = [];

        for ($i = 0; $i < 40; $i++) {
            $needs = $i % 4 === 0 ? '' : ' extends C'.($i % 7 === 0 ? 99 : intdiv($i, 2));
            $this->fake->app("C{$i}", "class C{$i}{$needs} {}");
            $classes[] = "App\\C{$i}";
        }

        $this->fake->write();
        $sizes = array_combine(array_map(static fn (int $i): string => "app/C{$i}.php", range(0, 39)), range(100, 139));
        $first = $this->select($classes, budget: new MemoryBudget(2_000, $sizes));
        self::assertGreaterThan(5, count($first->files));
        self::assertGreaterThan(5, count($first->dropped));

        for ($i = 0; $i < 10; $i++) {
            shuffle($classes);
            self::assertEquals($first, $this->select($classes, budget: new MemoryBudget(2_000, $sizes)));
        }

        $seen = [];

        foreach ($first->files as $file) {
            $n = (int) substr($file, 5);
            self::assertTrue(
                $n % 4 === 0 || isset($seen['app/C'.intdiv($n, 2).'.php']),
                "{$file} comes before what it needs.",
            );
            $seen[$file] = true;
        }
    }

    #[Test]
    public function the_budget_is_for_the_most_used_classes_and_leaves_nothing_half(): void
    {
        $this->fake->app('Rare', 'class Rare {}')
            ->app('Often', 'class Often extends Base {}')
            ->app('Base', 'class Base {}')
            ->app('Some', 'class Some extends Base {}')
            ->app('Big', 'class Big extends Huge {}')
            ->app('Huge', 'class Huge {}')
            ->write();
        $sizes = [
            'app/Rare.php' => 300,
            'app/Often.php' => 300,
            'app/Base.php' => 400,
            'app/Some.php' => 300,
            'app/Big.php' => 1,
            'app/Huge.php' => 5_000,
        ];
        $wanted = ['App\Rare' => 0.1, 'App\Often' => 0.9, 'App\Some' => 0.5, 'App\Big' => 0.8, 'App\Base' => 0.2];

        $selection = $this->select($wanted, budget: new MemoryBudget(1_000, $sizes));

        self::assertSame(['app/Base.php', 'app/Often.php', 'app/Some.php'], $selection->files);
        self::assertSame(
            [['App\Big', DropReason::OverBudget], ['App\Rare', DropReason::OverBudget]],
            array_map(
                static fn (DroppedClass $dropped): array => [$dropped->class, $dropped->reason],
                $selection->dropped,
            ),
        );
        self::assertSame(
            ['app/Base.php', 'app/Often.php', 'app/Rare.php', 'app/Some.php'],
            $this->select($wanted, budget: new MemoryBudget(1_300, $sizes))->files,
        );
        self::assertSame(['app/Base.php'], $this->select($wanted, budget: new MemoryBudget(699, $sizes))->files);
    }

    #[Test]
    public function lists_get_shorter_when_php_takes_more_than_was_thought_until_they_fit(): void
    {
        $wanted = [];
        $sizes = [];

        for ($i = 0; $i < 100; $i++) {
            $this->fake->app("C{$i}", "class C{$i} {}");
            $wanted["App\\C{$i}"] = 1 - $i / 1_000;
            $sizes["app/C{$i}.php"] = 10_000;
        }

        $this->fake->write();
        $lists = new ListBuilder(
            $this->selector([], Mode::Compile),
            self::requested($wanted, $this->fake->project()),
            1_000_000,
            $sizes,
        );
        $counts = [];

        do {
            $selection = $lists->build([]);
            $counts[] = count($selection->files);
            // As if each file took a tenth more, and the whole some more.
            $hadToShrink = $lists->shrinkToBudget($selection, 11_000 * count($selection->files) + 50_000);
        } while ($hadToShrink && count($counts) < 50);

        self::assertSame(100, $counts[0]);
        self::assertFalse($hadToShrink);
        self::assertSame(array_values(array_unique($counts)), $counts);
        self::assertLessThanOrEqual(1_000_000, 11_000 * end($counts) + 50_000);
        self::assertGreaterThan(70, end($counts));
        self::assertFalse($lists->shrinkToBudget($selection, 1_000_000));
        self::assertCount(end($counts), $lists->build([])->files);
    }

    #[Test]
    public function the_head_of_a_list_needs_nothing_behind_it(): void
    {
        $this->fake->app('A', 'class A extends B {}')
            ->app('B', 'class B {} class B2 {}')
            ->app('C', 'class C extends A {}')
            ->write();
        $selection = $this->select(['App\C']);

        self::assertSame(
            [['app/B.php'], ['App\B', 'App\B2']],
            [$selection->head(1)->files, $selection->head(1)->classNames()],
        );
        self::assertSame($selection->files, $selection->head(3)->files);
        self::assertSame([], $selection->head(0)->classNames());
    }
}

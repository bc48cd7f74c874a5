<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use Headroom\Preload\Dropped;
use Headroom\Preload\Mode;
use Headroom\Preload\Reason;

/**
 * Takes what is wanted, as far as nothing speaks against it. The same input gives the same list, whatever its order.
 *
 * @internal
 */
final readonly class Selector
{
    public function __construct(
        private Project $project,
        private SourceCache $sources,
        private IgnoreRules $ignored,
        private Mode $mode,
    ) {}

    /**
     * @param array<string, Dropped> $banned by file
     * @param ?Budget $budget null to take all
     */
    public function select(RequestedClasses $wanted, array $banned = [], ?Budget $budget = null): Selection
    {
        $graph = new DependencyGraph($this->project, $this->sources, $this->ignored, $this->mode, $banned);
        $dropped = [];
        $taken = [];

        foreach (self::ranked($wanted) as $class => $file) {
            $objection = $graph->objection($class, $file);

            if ($objection !== null) {
                $dropped[] = $objection;

                continue;
            }

            $closure = $graph->closure($file, $taken);

            if ($budget !== null && ! $budget->allows($closure)) {
                $dropped[] = new Dropped($class, $file, Reason::OverBudget, $budget->words($closure));

                continue;
            }

            $budget?->take($closure);
            $taken += array_fill_keys($closure, true);
        }

        usort(
            $dropped,
            static fn (Dropped $a, Dropped $b): int => [$a->reason->value, $a->class]
                <=> [$b->reason->value, $b->class],
        );

        return self::ordered($graph, array_keys($taken), $dropped);
    }

    /**
     * What most requests use goes first.
     *
     * @return array<string, string> files by class
     */
    private static function ranked(RequestedClasses $wanted): array
    {
        $classes = $wanted->classes;
        uksort(
            $classes,
            static fn (string $a, string $b): int => [$classes[$b]['share'], $a] <=> [$classes[$a]['share'], $b],
        );

        return array_map(static fn (array $class): string => $class['file'], $classes);
    }

    /**
     * @param list<string> $files
     * @param list<Dropped> $dropped
     */
    private static function ordered(DependencyGraph $graph, array $files, array $dropped): Selection
    {
        sort($files, SORT_STRING);
        $known = [];
        $classes = [];

        foreach ($files as $file) {
            foreach ($graph->closure($file, $known) as $one) {
                $known[$one] = true;
                $classes[$one] = $graph->classesOf($one);
            }
        }

        return new Selection(array_keys($known), $classes, $dropped);
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use Headroom\Preload\DroppedClass;
use Headroom\Preload\DropReason;
use Headroom\Preload\Mode;

/**
 * Selects the files of the requested classes, except those that cannot be preloaded. The list does not depend on the
 * order of the input.
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
     * @param array<string, DroppedClass> $excluded by file
     * @param ?MemoryBudget $budget null for no limit
     */
    public function select(RequestedClasses $requested, array $excluded = [], ?MemoryBudget $budget = null): Selection
    {
        $graph = new DependencyGraph($this->project, $this->sources, $this->ignored, $this->mode, $excluded);
        $dropped = [];
        $selected = [];

        foreach (self::ranked($requested) as $class => $file) {
            $objection = $graph->objection($class, $file);

            if ($objection !== null) {
                $dropped[] = $objection;

                continue;
            }

            $closure = $graph->closure($file, $selected);

            if ($budget !== null && ! $budget->allows($closure)) {
                $dropped[] = new DroppedClass($class, $file, DropReason::OverBudget, $budget->objection($closure));

                continue;
            }

            $budget?->take($closure);
            $selected += array_fill_keys($closure, true);
        }

        usort(
            $dropped,
            static fn (DroppedClass $a, DroppedClass $b): int => [$a->reason->value, $a->class]
                <=> [$b->reason->value, $b->class],
        );

        return self::ordered($graph, array_keys($selected), $dropped);
    }

    /**
     * The classes that most requests use come first.
     *
     * @return array<string, string> files by class
     */
    private static function ranked(RequestedClasses $requested): array
    {
        $classes = $requested->classes;
        uksort(
            $classes,
            static fn (string $a, string $b): int => [$classes[$b]['share'], $a] <=> [$classes[$a]['share'], $b],
        );

        return array_map(static fn (array $class): string => $class['file'], $classes);
    }

    /**
     * @param list<string> $files
     * @param list<DroppedClass> $dropped
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

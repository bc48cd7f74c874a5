<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload\Selection;

use Headroom\Preload\DroppedClass;
use Headroom\Preload\Mode;
use Headroom\Preload\Selection\IgnoreRules;
use Headroom\Preload\Selection\MemoryBudget;
use Headroom\Preload\Selection\Project;
use Headroom\Preload\Selection\RequestedClasses;
use Headroom\Preload\Selection\Selection;
use Headroom\Preload\Selection\Selector;
use Headroom\Preload\Selection\SourceCache;
use Headroom\Tests\Unit\Preload\FakeProject;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A selector in a project of classes that the test writes.
 */
abstract class SelectorTestCase extends TestCase
{
    protected FakeProject $fake;

    protected function setUp(): void
    {
        $this->fake = FakeProject::create();
    }

    protected function tearDown(): void
    {
        $this->fake->remove();
    }

    /**
     * @param list<string>|array<string, float> $classes all as much, or with their shares
     * @param list<string> $ignore
     * @param array<string, DroppedClass> $excluded
     */
    protected function select(
        array $classes,
        array $ignore = [],
        array $excluded = [],
        Mode $mode = Mode::Compile,
        ?MemoryBudget $budget = null,
    ): Selection {
        $shares = [];

        foreach ($classes as $key => $value) {
            $shares[is_string($key) ? $key : (string) $value] = is_float($value) ? $value : 0.5;
        }

        return $this->selector($ignore, $mode)
            ->select(self::requested($shares, $this->fake->project()), $excluded, $budget);
    }

    /** @param list<string> $ignore */
    protected function selector(array $ignore, Mode $mode): Selector
    {
        $project = $this->fake->project();

        return new Selector($project, new SourceCache($project), new IgnoreRules($ignore), $mode);
    }

    /** @param array<string, float> $shares */
    protected static function requested(array $shares, Project $project): RequestedClasses
    {
        $classes = [];

        foreach ($shares as $class => $share) {
            $classes[$class] = ['file' => (string) $project->fileOf($class), 'share' => $share];
        }

        return new RequestedClasses($classes);
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use Headroom\Tests\Fault\Support\Mutation;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * `make mutate` removes each guard of the protocol; that takes minutes, and this test finds a guard that has moved.
 */
final class GuardsTest extends TestCase
{
    #[Test]
    public function each_guard_occurs_exactly_once_and_its_test_is_there(): void
    {
        $wrong = [];

        foreach (Mutation::all() as $mutation) {
            [$class, $method] = explode('::', $mutation->test);

            if ($mutation->removedFrom(Files::read("src/{$mutation->file}")) === null) {
                $wrong[] = "{$mutation->name}: src/{$mutation->file}";
            }

            if (! str_contains(Files::read("tests/Fault/{$class}.php"), "function {$method}(")) {
                $wrong[] = "{$mutation->name}: {$mutation->test}";
            }
        }

        self::assertSame([], $wrong);
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPUnit\Framework\Assert;

/**
 * Holds files against a rule and reports every breach at once.
 */
final readonly class Breaches
{
    /**
     * @param list<string> $paths
     * @param callable(Source): list<string> $rule
     * @param array<string, string> $exceptions path => why it may; one that is not needed any more is a breach too
     */
    public static function none(array $paths, callable $rule, array $exceptions = []): void
    {
        Assert::assertNotSame([], $paths, 'There is no file to look at.');
        $found = [];
        $unused = $exceptions;

        foreach ($paths as $path) {
            $breaches = $rule(Source::fromFile(Files::root().'/'.$path));

            if ($breaches !== []) {
                unset($unused[$path]);
            }

            if (! isset($exceptions[$path])) {
                array_push($found, ...array_map(static fn (string $breach): string => "{$path}: {$breach}", $breaches));
            }
        }

        foreach (array_keys($unused) as $path) {
            $found[] = "{$path}: is excepted from this rule and does not need it.";
        }

        if ($found !== []) {
            Assert::fail("\n".implode("\n", $found));
        }
    }
}

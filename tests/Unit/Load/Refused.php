<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load;

use Closure;
use Headroom\Load\InvalidPlan;
use Headroom\Support\TerminalText;
use PHPUnit\Framework\Assert;

/**
 * Asserts that a plan is refused for one option and that the message shows what was given.
 */
final class Refused
{
    /**
     * @param Closure(): mixed $make
     * @param string $seen the value in the message, as a whole word
     */
    public static function assert(string $option, string $seen, Closure $make): void
    {
        try {
            $make();
        } catch (InvalidPlan $e) {
            Assert::assertSame($option, $e->option);
            $seen = TerminalText::line($seen);
            $shown = '/(?<![\w.-])'.preg_quote($seen, '/').'(?![\w.]*\d)/';
            Assert::assertMatchesRegularExpression($shown, $e->getMessage());

            return;
        }

        Assert::fail("The plan was accepted, with {$seen}.");
    }
}

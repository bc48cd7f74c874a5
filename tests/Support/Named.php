<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use PHPUnit\Framework\Assert;

/**
 * The names and numbers in a message, whatever its other words are.
 */
final class Named
{
    /** @param list<string> $names whole ones, in their order; white space in the message may be folded */
    public static function assertIn(array $names, string $message): void
    {
        $pattern = implode('.*?', array_map(static fn (string $name): string => '(?<![\w.])'.preg_quote($name, '~').'(?!\w)', $names));

        Assert::assertMatchesRegularExpression("~{$pattern}~", trim((string) preg_replace('/\s+/', ' ', $message)));
    }
}

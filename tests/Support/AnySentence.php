<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use PHPUnit\Framework\Assert;
use Throwable;

/**
 * A place in the message of a failure that holds a sentence of src/. A test makes the failure that it expects with
 * HERE in that place, and reads from the real one only the names and numbers in the sentence.
 */
final class AnySentence
{
    public const HERE = '(any sentence)';

    /** @return string the sentence that stands there */
    public static function in(Throwable $expected, Throwable $seen): string
    {
        Assert::assertSame($expected::class, $seen::class, $seen->getMessage());
        Assert::assertSame(get_object_vars($expected), get_object_vars($seen), 'Their public properties differ.');

        $pattern = '~\A'.str_replace(preg_quote(self::HERE, '~'), '(.+)', preg_quote($expected->getMessage(), '~')).'\z~su';
        Assert::assertMatchesRegularExpression($pattern, $seen->getMessage());
        preg_match($pattern, $seen->getMessage(), $found);

        return $found[1] ?? '';
    }

    /** @param list<string|int> $names what the sentence that stands there has to name */
    public static function naming(array $names, Throwable $expected, Throwable $seen): void
    {
        $sentence = self::in($expected, $seen);

        foreach ($names as $name) {
            Assert::assertStringContainsString((string) $name, $sentence);
        }
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use Headroom\Spool\Exceptions\BucketBusy;
use PHPUnit\Framework\Assert;
use Throwable;

/**
 * The meaning of a sentence of src/ without its words: a test names the method that makes the sentence, such as
 * `BucketBusy::lockReplaced(Sentence::ANY)`, or the names and numbers that are in it.
 */
final class Sentence
{
    /** For an argument that the test does not know: a name or a sentence. */
    public const ANY = '(any)';

    /** The same for a number. */
    public const NUMBER = 987_654_321;

    /** @param Throwable|string $sentence where * stands for any words too */
    public static function assertIn(Throwable|string $sentence, ?string $text): void
    {
        Assert::assertMatchesRegularExpression('~'.strtr(self::pattern($sentence), ['\*' => '.*']).'~s', $text ?? '');
    }

    /** @param list<string> $names whole ones, in any order; white space in the text may be folded */
    public static function assertNames(array $names, string $text): void
    {
        $each = array_map(
            static fn (string $name): string => '(?=.*(?<![\w.])'.preg_quote($name, '~').'(?!\w))',
            $names,
        );

        Assert::assertMatchesRegularExpression(
            '~\A'.implode('', $each).'~s',
            trim((string) preg_replace('/\s+/', ' ', $text)),
        );
    }

    /** @return string the text in the place of the first ANY */
    public static function in(Throwable $expected, Throwable $seen): string
    {
        Assert::assertSame($expected::class, $seen::class, $seen->getMessage());
        Assert::assertSame(get_object_vars($expected), get_object_vars($seen), 'Their public properties differ.');

        $pattern = '~\A'.self::pattern($expected).'\z~su';
        Assert::assertMatchesRegularExpression($pattern, $seen->getMessage());
        preg_match($pattern, $seen->getMessage(), $found);

        return $found[1] ?? '';
    }

    /** @param list<string|int> $names that the text in the place of the first ANY must contain */
    public static function naming(array $names, Throwable $expected, Throwable $seen): void
    {
        $sentence = self::in($expected, $seen);

        foreach ($names as $name) {
            Assert::assertStringContainsString((string) $name, $sentence);
        }
    }

    private static function pattern(Throwable|string $sentence): string
    {
        $words = is_string($sentence) ? $sentence : $sentence->getMessage();

        return strtr(preg_quote($words, '~'), ['\(any\)' => '(.*)', (string) self::NUMBER => '\d+']);
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use PHPUnit\Framework\Assert;
use Throwable;

/**
 * A sentence of src/ that a test finds by what makes it, such as `UnableToFlush::lockLost(Sentence::ANY)`, and not by its words.
 */
final class Sentence
{
    /** For an argument that the test does not know. */
    public const ANY = '*';

    /** The same for a number. */
    public const NUMBER = 987_654_321;

    public static function assertIn(Throwable|string $sentence, ?string $text): void
    {
        $words = is_string($sentence) ? $sentence : $sentence->getMessage();
        $pattern = strtr(preg_quote($words, '~'), ['\*' => '.*', (string) self::NUMBER => '\d+']);

        Assert::assertMatchesRegularExpression("~{$pattern}~s", $text ?? '');
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Support\TerminalText;

use function htmlspecialchars;
use function preg_replace_callback;

/**
 * Escapes text from outside for a page: no markup, and no control sequences for a terminal that shows the file. Line
 * breaks and tabs stay, so that the user can copy a fix.
 *
 * @internal
 */
final readonly class Html
{
    public static function text(string $text): string
    {
        return htmlspecialchars(
            (string) preg_replace_callback(
                '/[^\n\t]+/',
                static fn (array $m): string => TerminalText::line($m[0]),
                $text,
            ),
            ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML5,
            'UTF-8',
        );
    }
}

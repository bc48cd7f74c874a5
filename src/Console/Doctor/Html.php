<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Support\TerminalText;

use function htmlspecialchars;
use function preg_replace_callback;

/**
 * Text from outside in a page: no markup, and nothing that speaks to a terminal that shows the file. Lines and tabs
 * stay, so that a fix can be copied.
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

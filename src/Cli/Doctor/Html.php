<?php

declare(strict_types=1);

namespace Headroom\Cli\Doctor;

use Headroom\Core\Printable;

use function array_map;
use function explode;
use function htmlspecialchars;
use function implode;

/**
 * Text from outside in a page: no markup, and nothing that speaks to a terminal that shows the file.
 *
 * @internal
 */
final readonly class Html
{
    public static function text(string $text): string
    {
        return htmlspecialchars(implode("\n", array_map(Printable::line(...), explode("\n", $text))), ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML5, 'UTF-8');
    }
}

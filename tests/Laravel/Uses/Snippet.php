<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Uses;

use Headroom\Tests\Architecture\Files;
use RuntimeException;

/**
 * Code of the workbench, as a page of docs/uses shows it.
 */
final readonly class Snippet
{
    /** @return string from the first line that begins so to the end of the file */
    public static function of(string $path, string $begin): string
    {
        $at = strpos(Files::read($path), "\n{$begin}");

        return $at === false
            ? throw new RuntimeException("No line of {$path} begins with '{$begin}'.")
            : trim(substr(Files::read($path), $at));
    }
}

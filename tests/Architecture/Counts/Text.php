<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

/**
 * A comment or a string literal.
 */
final readonly class Text
{
    public function __construct(public string $text, public int $line, public bool $isComment) {}
}

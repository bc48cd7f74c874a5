<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

/**
 * The literal parts of the text that a constructor is called with.
 */
final readonly class Message
{
    public function __construct(public string $class, public int $line, public string $text) {}
}

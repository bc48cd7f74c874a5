<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

final readonly class Pattern
{
    public function __construct(public string $regex, public string $reason, public bool $ofCommentsOnly = false) {}
}

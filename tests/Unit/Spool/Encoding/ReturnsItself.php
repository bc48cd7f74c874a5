<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Encoding;

use JsonSerializable;

final class ReturnsItself implements JsonSerializable
{
    public function jsonSerialize(): static
    {
        return $this;
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Sink\InvalidRecords;
use RuntimeException;

final class PickyRefusal extends RuntimeException implements InvalidRecords
{
    public static function of(int $count): self
    {
        return new self("{$count} of them are bad.");
    }
}

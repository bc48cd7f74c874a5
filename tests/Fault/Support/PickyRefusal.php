<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Sink\RecordsRefused;
use RuntimeException;

final class PickyRefusal extends RuntimeException implements RecordsRefused
{
    public static function of(int $count): self
    {
        return new self("{$count} of them are bad.");
    }
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool;

enum Level: int
{
    case High = 3;
}

<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Encoding;

enum Level: int
{
    case High = 3;
}

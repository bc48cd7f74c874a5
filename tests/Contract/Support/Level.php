<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

enum Level: int
{
    case High = 3;
}

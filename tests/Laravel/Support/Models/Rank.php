<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Models;

enum Rank: int
{
    case First = 1;
    case Second = 2;
}

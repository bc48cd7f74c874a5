<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Models;

enum Shade: string
{
    case Light = 'light';
    case Dark = 'dark';
}

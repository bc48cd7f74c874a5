<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool;

enum Suit: string
{
    case Hearts = 'H';
}

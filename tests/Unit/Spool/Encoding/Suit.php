<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Encoding;

enum Suit: string
{
    case Hearts = 'H';
}

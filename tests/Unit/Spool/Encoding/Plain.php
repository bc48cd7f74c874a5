<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Encoding;

enum Plain
{
    case One;
}

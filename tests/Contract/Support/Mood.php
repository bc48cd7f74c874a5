<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

enum Mood: string
{
    case Happy = 'happy';
}

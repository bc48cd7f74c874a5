<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

enum Outcome: string
{
    case Reached = 'reached';
    case Missed = 'missed';
    case NotMeasured = 'not measured';
    case NoAim = 'no aim';
}

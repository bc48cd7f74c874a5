<?php

declare(strict_types=1);

namespace Headroom\Load\Compare;

/**
 * The change of a metric from one run to another.
 */
enum Verdict: string
{
    case Better = 'better';
    case Worse = 'worse';
    case NoDifference = 'no difference seen';
    case TooShort = 'too short to judge';
    case Unknown = 'not known';
}

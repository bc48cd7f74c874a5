<?php

declare(strict_types=1);

namespace Headroom\Charts;

/**
 * Which events a chart is about. What end users do is known by the beginnings of its types; everything else but lines of
 * a log is business.
 *
 * @internal
 */
enum EventGroup: string
{
    case All = 'all';
    case Business = 'business';
    case Actions = 'actions';
}

<?php

declare(strict_types=1);

namespace Headroom\Charts;

/**
 * The events that a chart counts. The prefixes in the configuration tell actions of end users from business events;
 * lines of the log channel are neither.
 *
 * @internal
 */
enum EventGroup: string
{
    case All = 'all';
    case Business = 'business';
    case Actions = 'actions';
}

<?php

declare(strict_types=1);

namespace Headroom\Charts;

/**
 * What the events of a chart are told apart by.
 *
 * @internal
 */
enum SplitBy: string
{
    case Type = 'type';
    case Source = 'source';
    case Key = 'key';
}

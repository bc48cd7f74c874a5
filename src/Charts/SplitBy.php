<?php

declare(strict_types=1);

namespace Headroom\Charts;

/**
 * The field whose values become the series of a chart.
 *
 * @internal
 */
enum SplitBy: string
{
    case Type = 'type';
    case Source = 'source';
    case Key = 'key';
}

<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch\Chart;

/**
 * What the events of a chart are told apart by.
 *
 * @internal
 */
enum Split: string
{
    case Type = 'type';
    case Source = 'source';
    case Key = 'key';
}

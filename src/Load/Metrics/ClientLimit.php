<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

/**
 * The reason why the generator or its machine may have limited the figures.
 */
enum ClientLimit: string
{
    case Cpu = 'cpu';
    case LateStarts = 'late_starts';
    case LocalPorts = 'local_ports';
}

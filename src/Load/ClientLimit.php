<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * Why figures may be those of the machine that sends and not of the server.
 */
enum ClientLimit: string
{
    case Cpu = 'cpu';
    case LateStarts = 'late_starts';
    case LocalPorts = 'local_ports';
}

<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Sockets;

/**
 * The states of /proc/net/tcp that the doctor uses: include/net/tcp_states.h.
 *
 * @internal
 */
enum TcpState: string
{
    case Established = '01';
    case SynSent = '02';
    case TimeWait = '06';
    case CloseWait = '08';
    case Listen = '0A';
}

<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

/**
 * @internal
 */
enum ConnectionState
{
    case Connecting;
    case Securing;
    case Open;
}

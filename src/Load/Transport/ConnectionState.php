<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

/**
 * What a connection is about.
 *
 * @internal
 */
enum ConnectionState
{
    case Connecting;
    case Securing;
    case Open;
}

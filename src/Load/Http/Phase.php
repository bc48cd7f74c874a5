<?php

declare(strict_types=1);

namespace Headroom\Load\Http;

/**
 * What a connection is about.
 *
 * @internal
 */
enum Phase
{
    case Connecting;
    case Securing;
    case Open;
}

<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Nginx;

/**
 * @internal
 */
enum End
{
    case Semicolon;
    case Open;
    case Close;
    case File;
}

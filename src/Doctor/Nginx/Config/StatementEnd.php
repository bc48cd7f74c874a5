<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * @internal
 */
enum StatementEnd
{
    case Semicolon;
    case Open;
    case Close;
    case File;
}

<?php

declare(strict_types=1);

namespace Headroom\Http;

/**
 * Why a response cannot be read.
 *
 * @internal
 */
enum ResponseFault
{
    case NotHttp;
    case HeaderTooLarge;
    case BodyTooLarge;

    /** The connection was closed before the first byte. */
    case Missing;
    case TruncatedHeader;
    case TruncatedBody;
}

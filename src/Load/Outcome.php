<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * Each request that ended has exactly one outcome.
 */
enum Outcome: string
{
    case Succeeded = 'succeeded';
    case HttpError = 'http_errors';
    case WrongResponse = 'wrong_answers';
    case Timeout = 'timeouts';
    case ConnectError = 'connect_errors';
    case OtherError = 'other_errors';
}

<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * Every request that ended is exactly one of these.
 */
enum Outcome: string
{
    case Succeeded = 'succeeded';
    case HttpError = 'http_errors';
    case WrongAnswer = 'wrong_answers';
    case Timeout = 'timeouts';
    case ConnectError = 'connect_errors';
    case OtherError = 'other_errors';
}

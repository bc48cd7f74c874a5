<?php

declare(strict_types=1);

namespace Headroom\Host\Fpm;

/**
 * Why a FastCGI request to a pool failed.
 *
 * @internal
 */
enum FastCgiFailure
{
    case NoAddress;
    case NoSocket;
    case NotPermitted;
    case Refused;
    case QueueFull;
    case ConnectTimedOut;
    case Unreachable;
    case ReadTimedOut;
    case BrokeOff;
    case NotFastCgi;
    case TooLong;
    case Declined;
    case ScriptNotFound;
    case ExtensionNotAllowed;
}

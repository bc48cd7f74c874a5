<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Status;

/**
 * The stages of fpm_request.c. A worker on an idle keepalive connection of nginx shows "Reading headers".
 *
 * @internal
 */
enum ProcessState: string
{
    case Idle = 'Idle';
    case ReadingHeaders = 'Reading headers';
    case GettingRequest = 'Getting request informations';
    case Running = 'Running';
    case Ending = 'Ending';
    case Finishing = 'Finishing';
    case Unknown = '';

    public static function fromPage(?string $word): self
    {
        return $word === null ? self::Unknown : (self::tryFrom($word) ?? self::Unknown);
    }
}

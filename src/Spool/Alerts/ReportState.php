<?php

declare(strict_types=1);

namespace Headroom\Spool\Alerts;

/**
 * What a channel knows of a problem.
 *
 * @internal
 */
enum ReportState: string
{
    /** It was not reported, or its end was. */
    case Closed = 'closed';

    /** It was reported, and it lasts. */
    case Open = 'open';

    /** It was reported and is gone, which the channel does not know yet. */
    case Gone = 'gone';
}

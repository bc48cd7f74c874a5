<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

/**
 * @internal
 */
enum ProblemSeverity: string
{
    /** Events are lost, refused or not delivered. */
    case Error = 'error';

    /** An operator has to decide something. */
    case Warning = 'warning';

    case Note = 'note';
}

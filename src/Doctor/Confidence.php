<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * What a finding rests on.
 */
enum Confidence: string
{
    /** A configuration was read. Advice, until something that was measured supports it. */
    case Configured = 'configured';

    /** A counter or a state of the running system shows it. */
    case Observed = 'observed';

    /** It was seen while a load ran, on one clock with its response times. */
    case UnderLoad = 'under load';
}

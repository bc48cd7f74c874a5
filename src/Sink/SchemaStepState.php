<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * @internal
 */
enum SchemaStepState: string
{
    case Made = 'made';

    case Changed = 'changed';

    /** As it should be. */
    case There = 'there';

    /** Somebody else's, or changed by somebody: it was left as it is. */
    case Differs = 'differs';

    /** The server can not do it. */
    case Impossible = 'impossible';

    /** Asked for with --dry-run. */
    case Wanted = 'wanted';

    /** Somebody has to look at it. */
    public function isTrouble(): bool
    {
        return $this === self::Differs || $this === self::Impossible;
    }
}

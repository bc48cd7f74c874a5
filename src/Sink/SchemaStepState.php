<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * The result of a step in creating a destination.
 *
 * @internal
 */
enum SchemaStepState: string
{
    case Made = 'made';

    case Changed = 'changed';

    /** The object exists as it should be. */
    case There = 'there';

    /** Another owner created or changed the object, so it was left unchanged. */
    case Differs = 'differs';

    /** The server does not support it. */
    case Impossible = 'impossible';

    /** Would be created without --dry-run. */
    case Wanted = 'wanted';

    /** An operator has to look at the object. */
    public function isTrouble(): bool
    {
        return $this === self::Differs || $this === self::Impossible;
    }
}

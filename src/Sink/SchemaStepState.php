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
    case Created = 'made';

    case Changed = 'changed';

    /** The object exists as it should be. */
    case Unchanged = 'there';

    /** Another owner created or changed the object, so it was left unchanged. */
    case Differs = 'differs';

    /** The server does not support it. */
    case Unsupported = 'impossible';

    /** Would be created without --dry-run. */
    case Planned = 'wanted';

    /** An operator has to look at the object. */
    public function needsAttention(): bool
    {
        return $this === self::Differs || $this === self::Unsupported;
    }
}

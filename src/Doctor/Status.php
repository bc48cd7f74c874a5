<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * How a finding ends.
 */
enum Status: string
{
    case Pass = 'pass';

    /** Advice from the configuration alone. */
    case Warn = 'warn';

    /** Wrong by the facts, under any load. */
    case Fail = 'fail';

    /** A fact could not be read. */
    case Unknown = 'unknown';

    /** The subject of the check does not exist here. */
    case Skipped = 'skipped';

    /** The check or its probe failed: a defect of this package, not a result. */
    case Crashed = 'crashed';

    public function isProblem(): bool
    {
        return $this === self::Warn || $this === self::Fail;
    }

    /** Whether it says that there is nothing to do. */
    public function isWell(): bool
    {
        return $this === self::Pass || $this === self::Skipped;
    }
}
